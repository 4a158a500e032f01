//! Contracts of the tools of Slack.

use super::{Server, Tool};
use crate::contract::{Class, Meaning};

pub(super) static SERVER: Server = Server {
    names: &["slack"],
    source: "https://github.com/korotovsky/slack-mcp-server",
    foreign: true,
    reads: &[
        "attachment_get_data",
        "channels_list",
        "conversations_history",
        "conversations_replies",
        "conversations_search_messages",
        "conversations_unreads",
        "users_search",
        "usergroups_list",
        "usergroups_me",
        "slack_list_channels",
        "slack_get_channel_history",
        "slack_get_thread_replies",
        "slack_get_users",
        "slack_get_user_profile",
    ],
    changes: &["conversations_mark", "reactions_add", "reactions_remove", "slack_add_reaction"],
    tools: &[
        Tool::new("conversations_add_message", Class::Send, "message").with(&[
            ("/channel_id", Meaning::Channel),
            ("/text", Meaning::Text),
            ("/payload", Meaning::Text),
        ]),
        Tool::new("slack_post_message", Class::Send, "message")
            .with(&[("/channel_id", Meaning::Channel), ("/text", Meaning::Text)]),
        Tool::new("slack_reply_to_thread", Class::Send, "reply")
            .with(&[("/channel_id", Meaning::Channel), ("/text", Meaning::Text)]),
        Tool::new("slack_send_message", Class::Send, "message")
            .with(&[("/channel_id", Meaning::Channel), ("/message", Meaning::Text)]),
        Tool::new("usergroups_create", Class::Administer, "user group"),
        Tool::new("usergroups_update", Class::Administer, "user group"),
        Tool::new("usergroups_users_update", Class::Administer, "user group")
            .with(&[("/users", Meaning::Recipient)]),
    ],
};
