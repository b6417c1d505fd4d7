// Which part of the map of a vocabulary is in view, and the flights over it.
import { flightBetween, MapView } from '/ui/vocabulary/token_map/js/map-view.js';
import { strengthOf } from '/ui/vocabulary/token_map/js/map-picture.js';
import { check, equal, random } from './check.js';

const isNear = (one, other) => Math.abs(one - other) <= 1e-6 * Math.max(1, Math.abs(other));

/** A view of a random map, somewhere on it. */
function randomView(dice) {
  const view = new MapView();
  view.layOut(1 + dice.below(dice.choice([3, 300, 250_000])), 1 + dice.below(1500), 1 + dice.below(900));
  view.zoom(2 ** (8 * dice.fraction()), dice.below(view.width), dice.below(view.height));
  view.pan(dice.below(2000) - 1000, dice.below(2000) - 1000);
  return view;
}

export function a_point_of_a_square_gives_its_id() {
  const dice = random('points');
  for (let n = 0; n < 500; n++) {
    const view = randomView(dice), id = dice.below(view.numIds), [left, top] = view.pixelsOf(view.placeOf(id));
    const shift = () => (dice.fraction() - 0.5) * 0.98 * view.square;
    equal(view.idAt(left + shift(), top + shift()), id);
  }
}

export function the_whole_map_has_each_id_once_and_in_view() {
  const dice = random('whole');
  for (let n = 0; n < 200; n++) {
    const view = randomView(dice);
    view.showWhole();
    check(view.isWhole && view.columns * view.rows >= view.numIds && view.columns * (view.rows - 1) < view.numIds);
    equal(Array.from(view.visibleIds()).length, view.numIds);
    for (const id of [0, view.numIds - 1, Math.min(view.numIds, view.columns) - 1]) {
      const [left, top] = view.pixelsOf(view.placeOf(id)), half = view.square / 2 - 1e-6;
      check(left >= half && top >= half && left <= view.width - half && top <= view.height - half, `id ${id}`);
    }
  }
}

export function visible_ids_are_those_at_the_points_of_the_view() {
  const dice = random('visible');
  for (let n = 0; n < 100; n++) {
    const view = randomView(dice), visible = new Set(view.visibleIds());
    for (let k = 0; k < 50; k++) {
      const id = view.idAt(view.width * dice.fraction(), view.height * dice.fraction());
      check(id < 0 || visible.has(id), `id ${id}`);
    }
    check([...visible].every((id) => {
      const [left, top] = view.pixelsOf(view.placeOf(id)), half = view.square / 2;
      return left + half > -1e-6 && top + half > -1e-6 && left - half < view.width + 1e-6 &&
        top - half < view.height + 1e-6;
    }));
  }
}

export function zooming_keeps_the_point_under_the_pointer() {
  const view = new MapView();
  view.layOut(200_000, 1200, 480);
  view.moveTo({ x: view.columns / 2, y: view.rows / 2, square: 20 });
  const before = view.idAt(300, 200);
  for (const factor of [1.7, 2, 0.4]) view.zoom(factor, 300, 200);
  equal(view.idAt(300, 200), before);
}

export function a_view_never_leaves_the_map() {
  const dice = random('edges');
  for (let n = 0; n < 300; n++) {
    const view = randomView(dice), { square, columns, rows, width, height } = view;
    const [left, top] = view.pixelsOf({ x: 0, y: 0 });
    for (const [start, size, room] of [[left, columns * square, width], [top, rows * square, height]])
      check(size <= room + 1e-6 ? isNear(start, (room - size) / 2) : start <= 1e-6 && start + size >= room - 1e-6);
  }
}

export function a_new_size_keeps_the_id_in_the_middle() {
  const view = new MapView();
  view.layOut(200_000, 1200, 480);
  view.moveTo({ ...view.placeOf(123_456), square: 40 });
  view.layOut(200_000, 340, 320);
  equal(view.idAt(170, 160), 123_456);
  view.showWhole();
  view.layOut(200_000, 1200, 480);
  check(view.isWhole);
}

export function a_flight_begins_and_ends_at_its_places_and_zooms_out_between_far_ones() {
  const dice = random('flights'), place = () => ({ x: 600 * dice.fraction(), y: 300 * dice.fraction() });
  for (let n = 0; n < 200; n++) {
    const from = { ...place(), square: 2 + 90 * dice.fraction() };
    const to = { ...(n % 5 ? place() : from), square: 2 + 90 * dice.fraction() };
    const flight = flightBetween(from, to, 1000), ends = [flight.at(0), flight.at(1)];
    [from, to].forEach((one, i) => {
      check(['x', 'y', 'square'].every((name) => isNear(ends[i][name], one[name])), JSON.stringify([one, ends[i]]));
    });
    check(flight.ms >= 0 && Number.isFinite(flight.ms));
  }
  const far = flightBetween({ x: 0, y: 0, square: 90 }, { x: 500, y: 200, square: 90 }, 1000);
  check(far.at(0.5).square < 20);
}

export function a_longer_token_has_a_stronger_color() {
  equal([0, 1, 16, 255].map(strengthOf), [0.28, 0.28, 1, 1]);
  check([1, 2, 3, 5, 9].every((n) => strengthOf(n) < strengthOf(n + 1)));
}
