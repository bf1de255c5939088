"""Words that turn, state, modify or measure, in English and Chinese; small closed lists, no dictionary and no grammar.

English words stand in their base form as `statements.stem` gives it. Chinese words of several characters are those
that must not be read character by character: `非常` denies nothing, and `用户` uses nothing.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NEGATIONS = _words("""
not no never none neither nor nobody nothing without avoid forbid forbidden prohibit prohibited ban banned refuse
disallow disallowed lack
不 没 非 未 无 勿 莫 别 否 没有 并非 并不 并未 从不 从未 绝不 决不 不得 不能 不可 不可以 不要 不会 不是 不再 不应 不应该
不必 不用 不须 不需要 无需 无须 毋须 禁止 严禁 切勿 请勿 避免 拒绝 未曾 尚未
""")
"""Words that deny what they stand with."""

COMMANDS = _words("do never avoid 不要 不得 请勿 切勿 禁止 严禁 勿 别 避免")
"""Words with which an order that denies begins: they make a statement of a bare verb."""

IGNORABLE = _words("""
a an the this that these those our your their its his her my do will would to of also just now currently presently
already still always then so very please really simply longer anymore
的 了 着 过 地 现在 目前 当前 如今 已经 已 仍 仍然 还 都 也 就 请 该 这 那 此 本 吗 呢 吧 啊 一直 总是 始终 正在 将 非常
""")
"""Words whose coming and going changes no fact."""

OBLIGATIONS = _words("must should shall need ought require 必须 应 应该 应当 须 需 需要 要 务必 不得不")
"""Words that oblige; they say the same to each other, but not what permissions say."""

PERMISSIONS = _words("may can could might allow allowed 可以 可 能 能够 允许")
"""Words that permit."""

STATES = (
    OBLIGATIONS
    | PERMISSIONS
    | _words("be have 是 为 有 由 位于 属于 等于 使用 采用 选用 改用 用于 改为 变为 换成 换为 设为 设置为 负责")
)
"""Words that are the predicate of their statement wherever they stand."""

PREDICATES = STATES | _words("""
use run live work own accept support store keep listen start stop end begin open close expire return deploy host
belong contain include cost take equal default happen occur prefer choose call set write read send receive depend
connect serve build release ship lead manage maintain meet move migrate switch change rename become remain allow enable
disable validate encrypt approve
在 用 于 启用 禁用 开启 关闭 打开 支持 部署 运行 存储 保存 保留 监听 包含 包括 存在 拥有 住 叫 达到 迁移到 切换到 超过
返回 喜欢 偏好 选择 编写 发送 接收 读取 写入 连接 依赖 指向 提交 发布 过期 到期
""")
"""Words after which a statement may say something of what it has named before; some of them are also names."""

PREPOSITIONS = _words("""
within in on at by per under over about around every each after before from until till via with for since during
每 约 大约 至 共 仅 只 最多 最少 至多 不超过
""")
"""Words between a name and a number that is not a part of the name."""

CONDITIONS = _words("if when whether unless while once 如果 若 假如 倘若 一旦 除非 只要 是否 当")
"""Words that, at the beginning of a sentence, make what follows up to a comma something that is not said to be so."""

PRONOUNS = _words("i we you he she they it there what 我 我们 你 你们 您 他 她 它 他们 她们")
"""Words that name a subject only together with what is said of it."""

HABITS = _words("use live work run deploy prefer 使用 用 采用 住 部署 运行")
"""What a pronoun's owner does one way or the other, not both."""

UNITS = _words("""
day hour minute second week month year quarter time ms s sec min h d gb mb kb tb gib mib kib byte bit core percent
dollar euro person people people item row page line replica retry attempt
天 日 号 小时 分钟 分 秒 毫秒 周 月 年 季度 个 次 台 份 条 人 元 倍 点 核 项 位 页 行 名 家 层 级
""")
"""What stands after a number that measures or counts; a number after a name is a label."""

CALENDAR = _words("""
monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun
january february march april june july august september october november december
jan feb mar apr jun jul aug sep sept oct nov dec today tomorrow yesterday noon midnight weekday weekend
今天 明天 昨天 上午 下午 中午 晚上 凌晨 周末 工作日
周一 周二 周三 周四 周五 周六 周日 周天 星期一 星期二 星期三 星期四 星期五 星期六 星期日 星期天
礼拜一 礼拜二 礼拜三 礼拜四 礼拜五 礼拜六 礼拜天
""")
"""Names of times, which differ as numbers do."""

OPPOSITES = frozenset(
    frozenset(pair.split("/"))
    for pair in _words("""
must/may true/false on/off yes/no enable/disable allow/deny open/closed open/close accept/reject include/exclude
increase/decrease before/after public/private required/optional mandatory/optional internal/external sync/async
synchronous/asynchronous success/failure pass/fail active/inactive up/down start/stop first/last
mutable/immutable
真/假 是/否 有/无 开启/关闭 打开/关闭 开/关 启用/禁用 允许/禁止 接受/拒绝 包含/排除 增加/减少 公开/私有 必需/可选
必填/可选 同步/异步 成功/失败 之前/之后 以前/以后 前/后 内部/外部 升级/降级 启动/停止
""")
)
"""Pairs of which only one can hold."""

COMPOUNDS = _words("""
未来 无线 无论 无法 不同 不仅 不断 不过 不少 不久 区别 特别 分别 类别 级别 性别 识别 个别 差别 别名 是否
用户 应用 费用 可用 通用 引用 调用 用途 用例 作用 利用 会话 会议 机会 社会 性能 功能 智能 能力 可能 所有 有效 有限 只有
行为 因为 作为 认为 为了 在线 到达 需求 要求 重要 主要 于是 但是 还是 可是 由于 理由 自由 路由 关于 对于 至少 属性
前端 后端 前缀 后缀 后台 负责人 天气 年级 月份 日志 日期 时间 个人 人员 行业 页面 点击 分支 分区 分布
""")
"""Chinese words that hold a character of another list and have nothing to do with it."""
