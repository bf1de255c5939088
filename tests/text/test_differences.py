"""Same, contained, contradicting or different: tables in English and Chinese, and what holds for any texts."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.text.differences import Difference, Verdict, compare
from tests.text.strategies import mixed_text

CONTRADICTIONS = {
    "negation": [
        ("must run migrations", "must not run migrations"),
        ("You must run migrations before deploying", "You must not run migrations before deploying"),
        ("Deploy on Fridays", "Never deploy on Fridays"),
        ("Never deploy on Fridays", "Always deploy on Fridays"),
        ("Do not commit directly to main", "Commit directly to main"),
        ("The service doesn't use Redis", "The service uses Redis"),
        ("The service no longer uses Redis", "The service uses Redis"),
        ("Tests can be skipped", "Tests cannot be skipped"),
        ("Deploy with approval", "Deploy without approval"),
        ("API keys are allowed in logs", "API keys are forbidden in logs"),
        ("部署前必须运行迁移", "部署前不得运行迁移"),
        ("部署前必须运行迁移", "部署前禁止运行迁移"),
        ("部署前必须运行迁移", "部署前无需运行迁移"),
        ("该接口支持 IPv6", "该接口不支持 IPv6"),
        ("此接口需要登录", "此接口不需要登录"),
        ("该项目允许匿名访问", "该项目禁止匿名访问"),
        ("不要直接提交到主分支", "直接提交到主分支"),
        ("没有单元测试", "有单元测试"),
        ("日志未加密存储", "日志加密存储"),
    ],
    "number": [
        ("Refunds are accepted within 30 days", "Refunds are accepted within 14 days"),
        ("Refunds within 30 days", "Refunds within 14 days"),
        ("service alpha has 3 replicas", "service alpha has 5 replicas"),
        ("3 replicas run in alpha", "5 replicas run in alpha"),
        ("The rate limit is 100 requests per minute", "The rate limit is 250 requests per minute"),
        ("Backups run nightly at 02:00", "Backups run nightly at 04:00"),
        ("Passwords must have at least 12 characters", "Passwords must have at least 8 characters"),
        ("The contract ends on 2025-06-30", "The contract ends on 2026-06-30"),
        ("Cache entries live for 5 minutes", "Cache entries live for 10 minutes"),
        ("Deploys happen on Monday", "Deploys happen on Friday"),
        ("timeout = 30", "timeout = 60"),
        ("x = -5", "x = 5"),
        ("服务甲有 3 个副本", "服务甲有 5 个副本"),
        ("退款须在 30 天内申请", "退款须在 14 天内申请"),
        ("限流阈值是每分钟 100 次", "限流阈值是每分钟 250 次"),
        ("备份每天凌晨两点运行", "备份每天凌晨四点运行"),
        ("上线需要两人审批", "上线需要一人审批"),
        ("密码至少 12 位", "密码至少 8 位"),
        ("合同于 2025 年 6 月 30 日到期", "合同于 2026 年 6 月 30 日到期"),
        ("缓存保留 5 分钟", "缓存保留 10 分钟"),
        ("会议在周一举行", "会议在周三举行"),
        ("每周一部署", "每周五部署"),
        ("默认超时时间30秒", "默认超时时间60秒"),
    ],
    "value": [
        ("The service uses PostgreSQL", "The service uses MySQL"),
        ("Service uses MySQL", "The service uses PostgreSQL"),
        ("The service now uses MySQL", "The service uses PostgreSQL"),
        ("The database is PostgreSQL", "The database was migrated to MySQL"),
        ("We use PostgreSQL", "We use MySQL"),
        ("Alice prefers tabs", "Alice prefers spaces"),
        ("Use tabs for indentation", "Use spaces for indentation"),
        ("I live in Berlin", "I live in Munich"),
        ("The staging cluster is in eu-west-1", "The staging cluster is in us-east-1"),
        ("Feature flags are stored in Redis", "Feature flags are stored in Postgres"),
        ("The on-call engineer is Maria", "The on-call engineer is Tom"),
        ("The user prefers dark mode", "The user prefers light mode"),
        ("The endpoint returns JSON", "The endpoint returns XML"),
        ("default branch: main", "default branch: master"),
        ("The fee is $5", "The fee is €5"),
        ("The owner of billing is Maria", "The owner of billing is Tom"),
        ("数据库是 PostgreSQL", "数据库是 MySQL"),
        ("数据库是 PostgreSQL", "数据库改为 MySQL"),
        ("默认分支是 main", "默认分支是 master"),
        ("负责人：张三", "负责人：李四"),
        ("服务部署在上海机房", "服务部署在北京机房"),
        ("公司位于深圳", "公司位于杭州"),
        ("团队使用 Jira 管理任务", "团队使用 Linear 管理任务"),
        ("配置保存在 Redis 中", "配置保存在 MySQL 中"),
        ("值班工程师是小王", "值班工程师是小李"),
        ("用户喜欢深色模式", "用户喜欢浅色模式"),
        ("前端使用 React", "前端使用 Vue"),
        ("接口返回 JSON", "接口返回 XML"),
    ],
    "opposite": [
        ("Logging is enabled", "Logging is disabled"),
        ("The API is supported", "The API is unsupported"),
        ("Clients must retry", "Clients may retry"),
        ("Run lint before tests", "Run lint after tests"),
        ("debug = true", "debug = false"),
        ("该功能已启用", "该功能已禁用"),
        ("必须开启缓存", "必须关闭缓存"),
        ("接口同步返回", "接口异步返回"),
    ],
}

DIFFERENCES = [
    ("service alpha has 3 replicas", "service beta has 5 replicas", "subject"),
    ("service alpha has 3 replicas", "service beta has 3 replicas", "subject"),
    ("service alpha is down", "service beta is down", "subject"),
    ("Team red owns billing", "Team blue owns billing", "subject"),
    ("The billing service is written in Go", "The search service is written in Rust", "subject"),
    ("The login page loads slowly on Safari", "The settings page loads slowly on Safari", "subject"),
    ("Ticket 4121 is closed", "Ticket 4122 is closed", "subject"),
    ("Step 3: run the tests", "Step 4: run the tests", "subject"),
    ("Chapter 3 covers caching", "Chapter 4 covers caching", "subject"),
    ("Alice reviewed the parser", "Bob reviewed the parser", "subject"),
    ("Meeting with Anna about pricing", "Meeting with Ben about pricing", "subject"),
    ("Report for service alpha", "Report for service beta", "subject"),
    ("Public API is stable", "Private API is stable", "subject"),
    ("must run migrations", "must not run tests", "subject"),
    ("If the build fails, notify Alice", "If the build succeeds, notify Alice", "subject"),
    ("The service uses PostgreSQL", "The service uses PostgreSQL 15", "addition"),
    ("The parser handles nested lists", "The parser handles nested lists and tables", "addition"),
    ("The fee is 5%", "The fee is 5", "addition"),
    ("The service uses Redis", "The service used Redis", "wording"),
    ("Use tabs", "Use spaces", "subject"),
    ("The cat sat on the mat", "Quarterly revenue grew by ten percent", "unrelated"),
    ("Where is the config?", "Where is the manual?", "question"),
    ("def f(x):\n    return 1", "def f(x):\n    return 2", "code"),
    ("for (;;) { retries = 3; }", "for (;;) { retries = 5; }", "code"),
    ("if (!ready) { run(); }", "if (ready) { run(); }", "code"),
    ("return rows[1:];", "return rows[:1];", "code"),
    ("import Foo", "import foo", "code"),
    ("服务甲有 3 个副本", "服务乙有 5 个副本", "subject"),
    ("服务甲有 3 个副本", "服务乙有 3 个副本", "subject"),
    ("用户甲登录失败", "用户乙登录失败", "subject"),
    ("第三章介绍缓存", "第四章介绍缓存", "subject"),
    ("订单服务用 Go 编写", "搜索服务用 Rust 编写", "subject"),
    ("工单 4121 已关闭", "工单 4122 已关闭", "subject"),
    ("小王评审了解析器", "小李评审了解析器", "subject"),
    ("登录页面加载缓慢", "设置页面加载缓慢", "subject"),
    ("如果构建失败，通知张三", "如果构建成功，通知张三", "subject"),
    ("解析器支持嵌套列表", "解析器支持嵌套列表和表格", "addition"),
    ("今天天气很好", "昨天会议取消", "unrelated"),
    ("端口是多少？", "端口是哪个？", "question"),
]

SAME = [
    ("Refunds are accepted within 30 days", "refunds are ACCEPTED, within 30 days!"),
    ("Deploys happen on **Friday**", "Deploys happen on `Friday`."),
    ("The limit is 1,000 requests", "The limit is 1000 requests"),
    ("You don't need it", "You do not need it"),
    ("a\nb\n  c", "a b c"),
    ("数据库是ＭｙＳＱＬ。", "数据库 是 MySQL"),
    ("“端口”是：８０８０", "端口 是 8080"),
    ("ﾃﾞｰﾀﾍﾞｰｽ", "データベース"),
    ("cafe\u0301", "café"),
    ("", "!?"),
]


def sides(found: Difference) -> Difference:
    return Difference(verdict=found.verdict, reason=found.reason, left=found.right, right=found.left)


CASES = [(reason, *pair) for reason, pairs in CONTRADICTIONS.items() for pair in pairs]


@pytest.mark.proves("R-PAIN-P097")
@pytest.mark.parametrize(("reason", "left", "right"), CASES)
def test_statements_that_contradict(reason: str, left: str, right: str) -> None:
    found = compare(left, right)
    assert (found.verdict, found.reason) == (Verdict.CONTRADICTS, reason)
    assert found.left or found.right
    assert compare(right, left) == sides(found)


@pytest.mark.proves("R-PAIN-P098")
@pytest.mark.parametrize(("left", "right", "reason"), DIFFERENCES)
def test_texts_that_are_just_different(left: str, right: str, reason: str) -> None:
    found = compare(left, right)
    assert (found.verdict, found.reason) == (Verdict.DIFFERENT, reason)
    assert compare(right, left) == sides(found)


@pytest.mark.parametrize(("left", "right"), SAME)
def test_texts_that_say_the_same(left: str, right: str) -> None:
    assert compare(left, right) == Difference(verdict=Verdict.SAME, reason="equal")


def test_spans_show_what_differs() -> None:
    left, right = "Refunds are accepted within 30 days", "数据库是 PostgreSQL"
    found = compare(left, "Refunds are accepted within 14 days")
    assert [left[start:end] for start, end in found.left] == ["30"]
    found = compare("数据库是 MySQL", right)
    assert [right[start:end] for start, end in found.right] == ["PostgreSQL"]


ENGLISH_TEXT = (
    "The order service keeps its data in PostgreSQL. Backups run every night and are kept for thirty days.\n"
    "Deploys need two approvals. Nobody deploys on Friday.\n"
    "The queue is drained before the schema changes."
)
CHINESE_TEXT = (
    "订单服务的数据保存在数据库中。备份每晚运行，保留三十天。\n上线需要两人审批。周五不上线。\n"
    "修改表结构之前先清空队列。"
)


@pytest.mark.parametrize("text", [ENGLISH_TEXT, CHINESE_TEXT])
def test_a_truncated_copy_is_contained(text: str) -> None:
    for length in range(len(text) * 2 // 3, len(text) - 2):
        found = compare(text[:length], text)
        assert found.verdict in (Verdict.CONTAINED, Verdict.SAME), text[:length]
        assert compare(text, text[:length]).verdict is found.verdict
    first, *others = text.split("\n")
    assert compare("\n".join(others + others[:1]), text).verdict is Verdict.DIFFERENT
    assert compare("\n".join([first, others[1]]), text).verdict is Verdict.CONTAINED


@pytest.mark.parametrize(("text", "denial"), [(ENGLISH_TEXT, "It is not true that "), (CHINESE_TEXT, "并非")])
def test_a_denial_is_no_mere_beginning(text: str, denial: str) -> None:
    assert compare(text, denial + text).verdict is not Verdict.CONTAINED
    assert compare(text, "Note: " + text).verdict is Verdict.CONTAINED


@pytest.mark.parametrize(("text", "word", "other"), [(ENGLISH_TEXT, "two", "2 or 3"), (CHINESE_TEXT, "两人", "三四人")])
def test_a_change_inside_is_not_contained(text: str, word: str, other: str) -> None:
    assert compare(text, text.replace(word, other)).verdict is not Verdict.CONTAINED


def test_long_code_that_differs_in_a_number_is_different() -> None:
    lines = [f"    value_{number} = compute(value_{number - 1}, {number})" for number in range(1, 40)]
    left = "\n".join(["def run(value_0):", *lines])
    found = compare(left, left.replace(", 20)", ", 21)"))
    assert (found.verdict, found.reason) == (Verdict.DIFFERENT, "code")
    assert compare(left, left.replace("    ", "\t")).verdict is Verdict.SAME
    assert compare(left, "\n".join(lines[:20])).verdict is Verdict.CONTAINED
    assert [left[start:end].strip() for start, end in found.left] == ["value_20 = compute(value_19, 20)"]


@given(mixed_text)
def test_every_text_is_the_same_as_itself(text: str) -> None:
    assert compare(text, text).verdict is Verdict.SAME
    assert compare(text, f" {text}\n").verdict is Verdict.SAME


@given(st.sampled_from([text for pair in SAME for text in pair] + [ENGLISH_TEXT, CHINESE_TEXT]))
def test_case_and_width_say_nothing(text: str) -> None:
    assert compare(text, text.swapcase()).verdict is Verdict.SAME
    assert compare(text, unicodedata.normalize("NFD", text)).verdict is Verdict.SAME
    wide = "".join(chr(ord(c) + 0xFEE0) if c.isascii() and c.isalpha() else c for c in text)
    assert compare(text, wide).verdict is Verdict.SAME


statements = st.sampled_from(
    [side for pairs in CONTRADICTIONS.values() for pair in pairs for side in pair]
    + [side for left, right, _ in DIFFERENCES for side in (left, right)]
)


@given(statements | mixed_text, statements | mixed_text)
def test_sides_can_be_exchanged(left: str, right: str) -> None:
    found = compare(left, right)
    assert compare(right, left) == sides(found)
    for text, spans in ((left, found.left), (right, found.right)):
        assert all(0 <= start < end <= len(text) for start, end in spans)
        assert sorted(spans) == list(spans)


@given(statements, statements)
def test_contradictions_share_what_they_speak_of(left: str, right: str) -> None:
    """Statements from unrelated rows of the tables hardly ever contradict each other: never without a shared word."""
    if compare(left, right).verdict is Verdict.CONTRADICTS:
        assert set(left.lower()) & set(right.lower())


@pytest.mark.parametrize("unit", ["a", "word ", "line\n", "字", "*a", "3.", "don't ", "不", "x. "])
def test_long_texts_cost_no_square(unit: str) -> None:
    text = unit * (50_000 // len(unit))
    begun = time.process_time()
    compare(text, text + "end")
    compare("start" + text, text)
    assert time.process_time() - begun < 15
