//! Messages, mail, telephony and people who talk.

use super::{Check::*, SecretType, critical, high, medium};

/// Named by itself, because programs log in with it and give it no name.
pub(in crate::secrets) const DISCORD_BOT: SecretType =
    critical("discord-bot", "Discord", "Discord bot token", &["<u24-28>.<u6>.<u27-38>"])
        .keywords(&["discord", "bot_token", "bottoken"])
        .check(Snowflake)
        .entropy(35)
        .near(&["client.login(\"your-token-here\")", "bot.run('config.production.json')"]);

pub(super) const TYPES: &[SecretType] = &[
    DISCORD_BOT,
    high(
        "discord-webhook",
        "Discord",
        "Discord webhook address",
        &[
            "discord.com/api/webhooks/<d17-20>/<u60-80>",
            "discordapp.com/api/webhooks/<d17-20>/<u60-80>",
        ],
    )
    .entropy(30),
    high("discord-key", "Discord", "Discord client secret", &["<v32>", "<h64>"])
        .keywords(&["discord"])
        .entropy(30),
    medium("discord-client-id", "Discord", "Discord client id", &["<d18>"])
        .keywords(&["discord"])
        .entropy(20),
    high(
        "telegram-bot",
        "Telegram",
        "Telegram bot token",
        &[
            "<d5-16>:AA<u33>",
            "bot{<d5-16>:AA<u33>",
            "api.telegram.org/bot{<d5-16>:<u35>",
            "api.telegram.org/file/bot{<d5-16>:<u35>",
        ],
    )
    .entropy(30)
    .near(&["https://api.telegram.org/bot<token>/getMe", "api.telegram.org/bot${TOKEN}/getMe"]),
    high("telegram-named-bot", "Telegram", "Telegram bot token", &["<d5-16>:A<u34>"])
        .keywords(&["telegr"])
        .entropy(30),
    high(
        "teams-webhook",
        "Microsoft",
        "Microsoft Teams webhook address",
        &[
            ".webhook.office.com/webhookb2/<U>@<U>/IncomingWebhook/<w32>/<U>/V2<u40-60>",
            ".webhook.office.com/webhookb2/<U>@<U>/IncomingWebhook/<w32>/<U>",
            "outlook.office.com/webhook/<U>@<U>/IncomingWebhook/<w32>/<U>",
            "outlook.office365.com/webhook/<U>@<U>/IncomingWebhook/<w32>/<U>",
        ],
    ),
    critical("sendgrid-key", "Twilio", "SendGrid API key", &["SG.<v20-24>.<v39-50>", "SG.<t66>"])
        .entropy(30),
    critical("twilio-key", "Twilio", "Twilio API key", &["SK<H32>"]).entropy(28),
    medium("twilio-account", "Twilio", "Twilio account identifier", &["AC<h32>"])
        .keywords(&["twilio", "account_sid", "accountsid"])
        .entropy(28),
    critical("twilio-auth-token", "Twilio", "Twilio auth token", &["<h32>"])
        .keywords(&["twilio"])
        .entropy(28),
    high("mailgun-key", "Mailgun", "Mailgun API key", &["key-<h32>"]).entropy(28),
    high("mailgun-public-key", "Mailgun", "Mailgun validation key", &["pubkey-<h32>"]).entropy(28),
    high("mailgun-signing-key", "Mailgun", "Mailgun signing or API key", &["<g32>-<g8>-<g8>"])
        .keywords(&["mailgun"])
        .entropy(28),
    high("mailchimp-key", "Mailchimp", "Mailchimp API key", &["<h32>-us<d1-2>"]).entropy(28),
    high("brevo-key", "Brevo", "Brevo API key", &["xkeysib-<h64>-<w16>", "xsmtpsib-<h64>-<w16>"])
        .entropy(30),
    high("resend-key", "Resend", "Resend API key", &["re_<w8>_<w24>"]).entropy(33),
    high("postmark-token", "Postmark", "Postmark server token", &["<U>"])
        .keywords(&["postmark"])
        .entropy(28),
    high("sparkpost-key", "SparkPost", "SparkPost API key", &["<h40>"])
        .keywords(&["sparkpost"])
        .entropy(28),
    high("mailjet-key", "Mailjet", "Mailjet key", &["<h32>"])
        .keywords(&["mailjet", "mj_apikey"])
        .entropy(28),
    high("mandrill-key", "Mailchimp", "Mandrill API key", &["md-<u22>"]).check(Mixed).entropy(33),
    high("sendbird-token", "Sendbird", "Sendbird API token", &["<h40>", "<U>"])
        .keywords(&["sendbird"])
        .entropy(28),
    high("messagebird-token", "MessageBird", "MessageBird credential", &["<w25>", "<U>"])
        .keywords(&["messagebird", "message_bird", "message-bird"])
        .entropy(28),
    high("nexmo-secret", "Vonage", "Vonage API secret", &["<w16>"])
        .keywords(&["nexmo", "vonage"])
        .entropy(28),
    high("plivo-token", "Plivo", "Plivo auth token", &["<w40>"]).keywords(&["plivo"]).entropy(30),
    high("intercom-token", "Intercom", "Intercom access token", &["<v60>"])
        .keywords(&["intercom"])
        .entropy(33),
    high("mattermost-token", "Mattermost", "Mattermost access token", &["<a26>"])
        .keywords(&["mattermost"])
        .entropy(30),
    high("gitter-token", "Gitter", "Gitter access token", &["<u40>"])
        .keywords(&["gitter"])
        .entropy(30),
    high("zendesk-key", "Zendesk", "Zendesk API token", &["<w40>"])
        .keywords(&["zendesk"])
        .entropy(30),
    high("freshdesk-key", "Freshworks", "Freshdesk API key", &["<w20>"])
        .keywords(&["freshdesk"])
        .entropy(30)
        .check(Mixed),
    high("line-token", "LINE", "LINE channel token", &["<k150-200>"])
        .keywords(&["line_channel", "line-channel"])
        .entropy(35),
    high("beamer-token", "Beamer", "Beamer API token", &["b_<v44>"])
        .keywords(&["beamer"])
        .entropy(30),
    high("klaviyo-key", "Klaviyo", "Klaviyo private key", &["pk_<h34>"]).entropy(28),
    high("courier-key", "Courier", "Courier API key", &["pk_prod_<A28>", "pk_test_<A28>"])
        .entropy(30),
    high("customerio-key", "Customer.io", "Customer.io API key", &["<h20>", "<h32>"])
        .keywords(&["customerio", "customer_io"])
        .entropy(28),
    high("pushover-token", "Pushover", "Pushover token", &["<a30>"])
        .keywords(&["pushover"])
        .entropy(30),
    high(
        "onesignal-key",
        "OneSignal",
        "OneSignal API key",
        &["os_v2_app_<a100-110>", "os_v2_org_<a100-110>"],
    )
    .entropy(30),
    high("pagerduty-key", "PagerDuty", "PagerDuty API key", &["u+<u18>", "<u20>", "<h32>"])
        .keywords(&["pagerduty", "pager_duty"])
        .entropy(28)
        .check(Mixed),
    high("opsgenie-key", "Atlassian", "Opsgenie API key", &["<U>"])
        .keywords(&["opsgenie"])
        .entropy(28),
    high("zulip-key", "Zulip", "Zulip API key", &["<w32>"]).keywords(&["zulip"]).entropy(30),
];
