//! Contracts of the tools of PayPal.

use super::{Server, Tool};
use crate::contract::{Class, Meaning};

pub(super) static SERVER: Server = Server {
    names: &["paypal"],
    source: "https://github.com/paypal/agent-toolkit",
    foreign: false,
    reads: &[
        "generate_invoice_qr_code",
        "get_dispute",
        "get_invoice",
        "get_merchant_insights",
        "get_order",
        "get_refund",
        "get_shipment_tracking",
        "list_disputes",
        "list_invoices",
        "list_products",
        "list_subscription_plans",
        "list_transactions",
        "show_product_details",
        "show_subscription_details",
        "show_subscription_plan_details",
    ],
    changes: &[
        "create_invoice",
        "create_order",
        "create_product",
        "create_shipment_tracking",
        "create_subscription_plan",
        "update_product",
        "update_plan",
    ],
    tools: &[
        Tool::new("pay_order", Class::Pay, "order").with(&[("/order_id", Meaning::Id)]),
        Tool::new("create_refund", Class::Pay, "refund")
            .with(&[("/amount/value", Meaning::Amount)]),
        Tool::new("accept_dispute_claim", Class::Pay, "dispute"),
        Tool::new("create_subscription", Class::Pay, "subscription"),
        Tool::new("update_subscription", Class::Pay, "subscription"),
        Tool::new("cancel_subscription", Class::Delete, "subscription"),
        Tool::new("cancel_sent_invoice", Class::Delete, "invoice"),
        Tool::new("send_invoice", Class::Send, "invoice"),
        Tool::new("send_invoice_reminder", Class::Send, "reminder"),
    ],
};
