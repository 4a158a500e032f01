//! Chinese.

use super::{Acts, Language, Role};

/// The words of Chinese.
pub(in crate::session) static CHINESE: Language = Language {
    phrases: &[],
    is_spaced: false,
    acts: &[
        (Acts::READ, "查看 显示 读取 搜索 查找 列出 检查 告诉 总结 解释"),
        (
            Acts::CHANGE,
            "创建 新建 添加 增加 改代码 修改 更改 更新 编辑 写入 移动 重命名 替换 保存 修复 安排",
        ),
        (Acts::DELETE, "删除 移除 清除 清空 取消 停止 终止 销毁 删掉"),
        (Acts::SEND, "发送 发给 寄给 回复 转发 通知 告知 发邮件 上传"),
        (Acts::SHARE, "分享 共享 邀请 授予 授权"),
        (Acts::PAY, "支付 付款 转账 汇款 购买 订购 预订 退款 转给"),
        (Acts::PUBLISH, "发布 推送 部署 合并 上线"),
        (Acts::RUN, "运行 执行 启动 安装 测试 构建"),
        (Acts::ADMINISTER, "密码 启用 禁用 锁定 解锁 重置 权限"),
        (Acts::COMMIT, "提交"),
    ],
    roles: &[
        (Role::Please, "请 務必 务必"),
        (Role::Anything, "任何"),
        (Role::Not, "不要 别 勿 请勿 不得 禁止 不准 不能"),
        (Role::Forget, "忘记 忘了"),
        (Role::Only, "只 仅"),
        (Role::Ask, "先问 询问 确认 征得 问我 同意"),
        (Role::Touch, "动 碰 改 触碰 编辑"),
        (Role::Demand, "必须 现在 立即 "),
        (Role::And, "然后 但是 并且"),
    ],
};

/// Words of two letters that have one of those above in them and say nothing of the kind.
pub(in crate::session) static COMPOUNDS: &[&str] = &[
    "识别", "特别", "区别", "级别", "类别", "分别", "性别", "判别", "鉴别", "辨别", "个别", "识別",
    "自动", "手动", "动态", "动画", "动作", "活动", "移动", "启动", "滚动", "驱动", "联动", "互动",
];
