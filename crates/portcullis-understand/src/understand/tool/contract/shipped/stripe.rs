//! Contracts of the tools of Stripe.

use super::{Server, Tool};
use crate::contract::{Class, Meaning};

pub(super) static SERVER: Server = Server {
    names: &["stripe"],
    source: "https://github.com/stripe/agent-toolkit",
    foreign: false,
    reads: &[
        "list_coupons",
        "list_customers",
        "list_disputes",
        "list_invoices",
        "list_payment_intents",
        "list_prices",
        "list_products",
        "list_subscriptions",
        "retrieve_balance",
        "search_stripe_documentation",
    ],
    changes: &[
        "create_coupon",
        "create_customer",
        "create_invoice",
        "create_invoice_item",
        "create_payment_link",
        "create_price",
        "create_product",
    ],
    tools: &[
        Tool::new("create_refund", Class::Pay, "refund")
            .with(&[("/payment_intent", Meaning::Id), ("/amount", Meaning::Amount)]),
        Tool::new("finalize_invoice", Class::Send, "invoice").with(&[("/invoice", Meaning::Id)]),
        Tool::new("send_invoice", Class::Send, "invoice").with(&[("/invoice", Meaning::Id)]),
        Tool::new("cancel_subscription", Class::Delete, "subscription"),
        Tool::new("update_subscription", Class::Pay, "subscription"),
        Tool::new("update_dispute", Class::Bind, "dispute"),
    ],
};
