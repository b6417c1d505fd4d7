"""Quotas: bytes in flight are bounded per address and in total, and released."""

import pytest

from server.limits import quota
from server.limits.quota import ByteQuota
from server.problems import Problem


def test_reservations_are_bounded_and_released(monkeypatch):
    monkeypatch.setattr(quota, "MAX_BYTES_IN_FLIGHT", 15)
    monkeypatch.setattr(quota, "MAX_BYTES_IN_FLIGHT_PER_ADDRESS", 10)
    room = ByteQuota()
    with room.reserve("a") as a, room.reserve("b") as b:
        a.add(10)
        with pytest.raises(Problem) as refused, room.reserve("a") as more:
            more.add(1)
        assert refused.value.kind == "too-many"
        with pytest.raises(Problem) as refused:
            b.add(6)
        assert refused.value.kind == "busy"
    assert not room.reserved


def test_small_reservations_succeed_where_the_quota_is_full():
    room = quota.ByteQuota()
    with room.reserve("class") as large, room.reserve("class") as small:
        with pytest.raises(Problem):
            large.resize(quota.MAX_BYTES_IN_FLIGHT_PER_ADDRESS + 1)
        small.resize(quota.MAX_UNCOUNTED_BYTES)
        with pytest.raises(Problem):
            small.resize(quota.MAX_UNCOUNTED_BYTES + 1)
