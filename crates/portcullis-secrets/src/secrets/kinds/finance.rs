//! Payments, shops, banks and currencies.

use super::{Check::*, SecretType, critical, high, medium};

/// Named by itself, because it is told where it is all of a text.
pub(in crate::secrets) const BITCOIN_KEY: SecretType = critical(
    "bitcoin-private-key",
    "its owner",
    "Bitcoin private key",
    // Of the main and of the test network.
    &["5<550>", "K<551>", "L<551>", "9<550>", "c<551>"],
)
.keywords(&["wif", "privkey", "private_key", "bitcoin", "btc", "wallet", "p2wpkh", "p2pkh", "p2sh"])
.check(Base58Check)
.entropy(35)
.suggest("move the funds to a new address at once");

pub(super) const TYPES: &[SecretType] = &[
    critical(
        "square-token",
        "Square",
        "Square access token",
        &["EAAA<u56-62>", "EAAA<u22-62>", "sq0atp-<u22-60>"],
    )
    .entropy(33),
    critical(
        "square-secret",
        "Square",
        "Square OAuth secret",
        &["sq0csp-<u43>", "sq0csp-<u38-60>"],
    )
    .entropy(30),
    critical(
        "braintree-token",
        "PayPal",
        "Braintree access token",
        &["access_token$production$<a16>$<h32>"],
    ),
    medium(
        "braintree-sandbox-token",
        "PayPal",
        "Braintree sandbox token",
        &["access_token$sandbox$<a16>$<h32>"],
    ),
    critical(
        "plaid-token",
        "Plaid",
        "Plaid access token",
        &["access-production-<U>", "access-development-<U>"],
    ),
    medium("plaid-sandbox-token", "Plaid", "Plaid sandbox token", &["access-sandbox-<U>"]),
    high("plaid-key", "Plaid", "Plaid client id or secret", &["<a24>", "<a30>"])
        .keywords(&["plaid"])
        .entropy(28),
    high("razorpay-key", "Razorpay", "Razorpay key", &["rzp_live_<w14>", "rzp_test_<w14>"])
        .entropy(28),
    high(
        "flutterwave-secret-key",
        "Flutterwave",
        "Flutterwave secret key",
        &["FLWSECK_TEST-<g32>-X", "FLWSECK-<g32>-X", "FLWSECK_TEST-<g12>", "FLWSECK_TEST<g12>"],
    )
    .entropy(20),
    medium(
        "flutterwave-public-key",
        "Flutterwave",
        "Flutterwave public key",
        &["FLWPUBK_TEST-<g32>-X", "FLWPUBK-<g32>-X"],
    )
    .entropy(20),
    critical(
        "shopify-token",
        "Shopify",
        "Shopify access token",
        &[
            "shpat_<H32>",
            "shpca_<H32>",
            "shppa_<H32>",
            "shpss_<H32>",
            "shpua_<H32>",
            "shptka_<H32>",
        ],
    )
    .entropy(25),
    high(
        "coinbase-cdp-key",
        "Coinbase",
        "Coinbase Developer Platform key",
        &["organizations/<U>/apiKeys/<U>"],
    ),
    high("coinbase-token", "Coinbase", "Coinbase access token", &["<u64>"])
        .keywords(&["coinbase"])
        .entropy(35),
    high("easypost-key", "EasyPost", "EasyPost API key", &["EZAK<w54>"]).entropy(30),
    medium("easypost-test-key", "EasyPost", "EasyPost test key", &["EZTK<w54>"]).entropy(30),
    high("shippo-token", "Shippo", "Shippo token", &["shippo_live_<H40>", "shippo_test_<H40>"])
        .entropy(28),
    high("duffel-token", "Duffel", "Duffel token", &["duffel_live_<v43>", "duffel_test_<v43>"])
        .entropy(30),
    high("lob-key", "Lob", "Lob API key", &["live_<h35>", "test_<h35>"]).entropy(28),
    medium("lob-public-key", "Lob", "Lob publishable key", &["live_pub_<h31>", "test_pub_<h31>"])
        .entropy(28),
    high("gocardless-token", "GoCardless", "GoCardless token", &["live_<v40>"])
        .keywords(&["gocardless"])
        .entropy(30),
    high("adyen-key", "Adyen", "Adyen API key", &["AQE<k100-400>"]).entropy(40),
    critical(
        "paystack-key",
        "Paystack",
        "Paystack secret key",
        &["sk_live_<h40>", "sk_test_<h40>"],
    )
    .keywords(&["paystack"])
    .entropy(28),
    high("mollie-key", "Mollie", "Mollie API key", &["live_<w30>", "test_<w30>"])
        .keywords(&["mollie"])
        .entropy(30),
    critical("wise-token", "Wise", "Wise API token", &["<U>"])
        .keywords(&["wise_api", "transferwise"])
        .entropy(28),
    high("finicity-key", "Finicity", "Finicity credential", &["<h32>", "<a20>"])
        .keywords(&["finicity"])
        .entropy(28),
    high("finnhub-token", "Finnhub", "Finnhub API token", &["<a20>"])
        .keywords(&["finnhub"])
        .entropy(28),
    high("freshbooks-token", "FreshBooks", "FreshBooks access token", &["<a64>"])
        .keywords(&["freshbooks"])
        .entropy(30),
    critical("bittrex-key", "Bittrex", "Bittrex key", &["<a32>"])
        .keywords(&["bittrex"])
        .entropy(28),
    critical("kraken-key", "Kraken", "Kraken key", &["<k80-90>"]).keywords(&["kraken"]).entropy(35),
    critical("kucoin-key", "KuCoin", "KuCoin key", &["<h24>", "<U>"])
        .keywords(&["kucoin"])
        .entropy(28),
    critical("binance-key", "Binance", "Binance API key", &["<w64>"])
        .keywords(&["binance"])
        .entropy(38),
    critical("bitfinex-key", "Bitfinex", "Bitfinex key", &["<w43>"])
        .keywords(&["bitfinex"])
        .entropy(35),
    critical("bybit-key", "Bybit", "Bybit API secret", &["<w36>"]).keywords(&["bybit"]).entropy(35),
    critical("etherscan-key", "Etherscan", "Etherscan API key", &["<A34>"])
        .keywords(&["etherscan", "bscscan", "polygonscan"])
        .entropy(33),
    critical("alchemy-key", "Alchemy", "Alchemy API key", &["<u32>"])
        .keywords(&["alchemy"])
        .entropy(35)
        .check(Mixed),
    critical("infura-key", "Infura", "Infura key", &["<h32>"]).keywords(&["infura"]).entropy(28),
    BITCOIN_KEY,
    critical(
        "bip32-private-key",
        "its owner",
        "extended private key",
        &["xprv<5107>", "yprv<5107>", "zprv<5107>", "tprv<5107>"],
    )
    .check(Base58Check)
    .entropy(35)
    .suggest("move the funds to new addresses at once"),
    critical("nostr-private-key", "its owner", "Nostr private key", &["nsec1<y58>"])
        .check(Bech32)
        .entropy(30)
        .suggest("make a new identity, since this one can be taken over for good"),
    critical("ethereum-private-key", "its owner", "Ethereum private key", &["0x<H64>", "<H64>"])
        .keywords(&[
            "private_key",
            "privatekey",
            "private-key",
            "privkey",
            "deployer",
            "wallet",
            "mnemonic",
        ])
        .entropy(33)
        .suggest("move the funds to a new address at once"),
    high(
        "settlemint-token",
        "SettleMint",
        "SettleMint access token",
        &["sm_aat_<w16>", "sm_pat_<w16>", "sm_sat_<w16>"],
    )
    .entropy(28),
    high("chargebee-key", "Chargebee", "Chargebee API key", &["live_<w30-50>", "test_<w30-50>"])
        .keywords(&["chargebee"])
        .entropy(33),
    high(
        "paddle-key",
        "Paddle",
        "Paddle API key",
        &["pdl_live_apikey_<a26>_<w22>_<w3>", "pdl_sdbx_apikey_<a26>_<w22>_<w3>"],
    )
    .entropy(30),
];
