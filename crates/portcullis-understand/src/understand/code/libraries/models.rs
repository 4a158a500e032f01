//! Models that others run: what a prompt holds goes to them.

use super::{Card, Doing::*};

pub(super) const CARDS: &[Card] = &[
    // https://platform.openai.com/docs/api-reference
    Card {
        modules: &["openai"],
        habits: &[],
        methods: &[
            ("completions.create", Prompts("https://api.openai.com")),
            ("completions.parse", Prompts("https://api.openai.com")),
            ("completions.stream", Prompts("https://api.openai.com")),
            ("responses.create", Prompts("https://api.openai.com")),
            ("responses.parse", Prompts("https://api.openai.com")),
            ("responses.stream", Prompts("https://api.openai.com")),
            ("embeddings.create", Prompts("https://api.openai.com")),
            ("messages.create", Prompts("https://api.openai.com")),
            ("files.create", Prompts("https://api.openai.com")),
        ],
        otherwise: None,
    },
    // https://docs.anthropic.com/en/api/client-sdks
    Card {
        modules: &["@anthropic-ai/sdk", "anthropic"],
        habits: &[],
        methods: &[
            ("completions.create", Prompts("https://api.anthropic.com")),
            ("messages.create", Prompts("https://api.anthropic.com")),
            ("messages.stream", Prompts("https://api.anthropic.com")),
            ("files.upload", Prompts("https://api.anthropic.com")),
        ],
        otherwise: None,
    },
    // https://ai.google.dev/gemini-api/docs/libraries
    Card {
        modules: &["@google/genai", "@google/generative-ai", "google.genai", "google.generativeai"],
        habits: &[],
        methods: &[
            ("generate_content", Prompts("https://generativelanguage.googleapis.com")),
            ("generate_content_stream", Prompts("https://generativelanguage.googleapis.com")),
            ("embed_content", Prompts("https://generativelanguage.googleapis.com")),
            ("send_message", Prompts("https://generativelanguage.googleapis.com")),
            ("upload_file", Prompts("https://generativelanguage.googleapis.com")),
            ("files.upload", Prompts("https://generativelanguage.googleapis.com")),
        ],
        otherwise: None,
    },
    // https://docs.mistral.ai, https://docs.cohere.com, https://console.groq.com/docs, https://docs.together.ai, https://docs.litellm.ai,
    // https://ai-sdk.dev/docs, https://replicate.com/docs
    Card {
        modules: &[
            "@ai-sdk",
            "@huggingface/inference",
            "@mistralai/mistralai",
            "ai",
            "cohere",
            "cohere-ai",
            "groq",
            "groq-sdk",
            "litellm",
            "mistralai",
            "replicate",
            "together",
            "together-ai",
        ],
        habits: &[],
        methods: &[
            ("acompletion", Prompts("https://api.openai.com")),
            ("chat", Prompts("https://api.cohere.com")),
            ("chat.complete", Prompts("https://api.mistral.ai")),
            ("chat.stream", Prompts("https://api.mistral.ai")),
            ("chat_completion", Prompts("https://router.huggingface.co")),
            ("completion", Prompts("https://api.openai.com")),
            ("completions.create", Prompts("https://api.groq.com")),
            ("embed", Prompts("https://api.cohere.com")),
            ("generate", Prompts("https://api.cohere.com")),
            ("generate_object", Prompts("https://api.openai.com")),
            ("generate_text", Prompts("https://api.openai.com")),
            ("run", Prompts("https://api.replicate.com")),
            ("stream_text", Prompts("https://api.openai.com")),
        ],
        otherwise: None,
    },
];
