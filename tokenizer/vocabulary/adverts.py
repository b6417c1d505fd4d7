"""Tokens that are adverts for adult videos or gambling, by words that only read the text.

A tokenizer learns them from spam in its training text: o200k_base has hundreds.
"""

import re

import numpy as np

from tokenizer.vocabulary.facts import ORDINARY, Facts

GAMBLING = (
    "彩票|时时彩|分分彩|六合|六和彩|双色球|大乐透|七星彩|彩神|神彩|彩争|神争霸|快三|[一二三五]分彩|分快|极速赛|北京赛|pk赛车|赛车(?:pk|场)"
    "|飞艇|赛马会|马会|购彩|福彩|彩(?:平台|注册|娱乐|在线|金)|天天(?:中|爱|大奖|送|好|彩|众|乐|赢|种|买)|大发(?!展|电)|发(?:快|时时|彩)"
    "|娱乐[\u4e00-\u9fff]|[\u4e00-\u9fff]娱乐|棋牌|元棋|投注|百家乐|老虎机|炸金花|太阳城|申博|尼斯人|博彩|中特|特码|必中|[一二三五六]肖"
    "|跑狗|白小姐|管家婆|曾道人|铁算盘|玄机|黄大仙|王中王|本港台|心水|高手论坛|东方心经|天下彩|天空彩|开奖|中奖|大奖|[一二]等奖|派奖|领奖"
    "|不中返|不中反|追号|送彩|体验金|现金网|刷流水|总代|(?:平台|招商|开户|开号|官网)(?:主管|招商|开户|开号|直属|网址|链接|地址)|定位胆"
    "|大小单双|红黑大战|扑克|助赢|(?:人工|全天|精准|在线)计划|计划(?:群|网|软件)|大神推荐|竞彩"
)
ADULT = (
    "毛片|级片|经典三级|无码|無碼|特黄|一本[道到]|大香蕉|香蕉网|伊人|做爰|做爱|性生活|成人(?!员)|人成|色(?:情|综合|视频)|综合色|亚洲色|色啪|啪啪"
    "|[夜日]啪|天天[啪射看]|人人[摸爽操碰澡看]|狠狠|久久|久(?:爱|热|在线)|黄色录像|黄网|(?i:av)不卡|[\u4e00-\u9fff](?i:av)\\b|不卡|高清(?:免费|视频|毛)"
    "|自拍|偷拍|自产拍|多野结|东京热|加勒比|男人(?:的)?天堂|的天堂|天堂网|青青|五月(?:天|婷婷|丁香)|丁香五月|婷婷|老司机|影音先锋|先锋影音"
    "|奇米|米奇影|俺[也去]|第四色|午夜福利|福利视频|伦理|国产(?:精|成|自|综|视)|精品(?:国产|视频|一区)|在线精品|热在线|热视频|只有?精品|一区二区"
    "|无遮挡|人片|乱子伦|熟妇|变态另类|人體藝術|超碰|亚洲[人男无综日欧精国成视区]|欧美日|日韩|(?:免费|在线)(?:看|观看|视频|播放)"
    "|(?:视频|片)(?:免费|在线|网站)|手机看片|赛车女"
)
LATIN = "porn(?!ogra)|hentai|\\bmilfs?\\b|analsex|sexvideo|sextreff|sexkontakt|sexdate|sexleket|sbobet|ufabet"
_find_in_han, _find_latin = re.compile(f"{GAMBLING}|{ADULT}").search, re.compile(LATIN, re.IGNORECASE).search
_has_han = re.compile("[\u4e00-\u9fff]").search


def is_advert(text: str) -> bool:
    """Whether the text of a token looks like an advert for adult videos or gambling, or like a part of one.

    >>> [is_advert(text) for text in ("天天中彩票", "毛片免费视频观看", "中华人民共和国", " porno", " casino")]
    [True, True, False, True, False]
    """
    return bool(_find_in_han(text) if _has_han(text) else _find_latin(text))


def adverts(facts: Facts) -> np.ndarray:
    """Returns the rows of these tokens.

    >>> from tokenizer import get_encoding
    >>> from tokenizer.vocabulary.facts import facts_of
    >>> len(adverts(facts_of(get_encoding("gpt2")))) < 20
    True
    """
    rows = np.flatnonzero((facts.role == ORDINARY) & (facts.num_characters > 1)).tolist()
    return np.array([row for row in rows if is_advert(facts.texts[row])], np.int64)
