//! Language models and what runs them.

use super::{Check::*, SecretType, critical, high};

pub(super) const TYPES: &[SecretType] = &[
    critical(
        "anthropic-key",
        "Anthropic",
        "Anthropic API key",
        &["sk-ant-api03-<u93>AA", "sk-ant-api<d2>-<u80-120>"],
    )
    .entropy(35),
    critical(
        "anthropic-admin-key",
        "Anthropic",
        "Anthropic admin key",
        &["sk-ant-admin01-<u93>AA", "sk-ant-admin<d2>-<u80-120>"],
    )
    .entropy(35),
    critical(
        "anthropic-oauth",
        "Anthropic",
        "Anthropic OAuth token",
        &["sk-ant-oat01-<u80-120>", "sk-ant-ort01-<u80-120>", "sk-ant-sid01-<u80-140>"],
    )
    .entropy(35),
    critical(
        "openai-key",
        "OpenAI",
        "OpenAI API key",
        &[
            "sk-proj-<u20-120>T3BlbkFJ<u20-120>",
            "sk-svcacct-<u20-120>T3BlbkFJ<u20-120>",
            "sk-admin-<u20-120>T3BlbkFJ<u20-120>",
            "sk-None-<u20-120>T3BlbkFJ<u20-120>",
            "sk-service-<u20-120>T3BlbkFJ<u20-120>",
            "sk-<w20>T3BlbkFJ<w20>",
            "sk-proj-<u40-200>",
        ],
    )
    .entropy(30),
    critical(
        "huggingface-token",
        "Hugging Face",
        "Hugging Face token",
        &["hf_<w34>", "hf_oauth_<w30-60>"],
    )
    .entropy(30)
    .near(&["hf_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"]),
    critical(
        "huggingface-organization",
        "Hugging Face",
        "Hugging Face organization token",
        &["api_org_<l34>"],
    )
    .entropy(30),
    high("replicate-token", "Replicate", "Replicate token", &["r8_<w37>", "r8_<w38>"]).entropy(30),
    high("groq-key", "Groq", "Groq API key", &["gsk_<w52>"]).entropy(35),
    high("xai-key", "xAI", "xAI API key", &["xai-<w80>"]).entropy(35),
    high("perplexity-key", "Perplexity", "Perplexity API key", &["pplx-<w48>"]).entropy(35),
    high("openrouter-key", "OpenRouter", "OpenRouter key", &["sk-or-v1-<h64>"]).entropy(30),
    high("together-key", "Together AI", "Together AI key", &["tgp_v1_<u43>"]).entropy(30),
    high("fireworks-key", "Fireworks AI", "Fireworks AI key", &["fw_<w22-24>"])
        .entropy(35)
        .check(Mixed),
    high(
        "langsmith-key",
        "LangChain",
        "LangSmith key",
        &["lsv2_pt_<h32>_<h10>", "lsv2_sk_<h32>_<h10>", "ls__<h32>"],
    ),
    high("pinecone-key", "Pinecone", "Pinecone API key", &["pcsk_<w5-6>_<w63>"]).entropy(30),
    high("wandb-key", "Weights & Biases", "Weights & Biases key", &["wandb_v1_<_70-90>"])
        .entropy(30),
    high("cerebras-key", "Cerebras", "Cerebras API key", &["csk-<a48>"]).entropy(30),
    high("nvidia-key", "NVIDIA", "NVIDIA API key", &["nvapi-<u60-70>"]).entropy(35),
    high("langfuse-key", "Langfuse", "Langfuse secret key", &["sk-lf-<U>"]),
    high("e2b-key", "E2B", "E2B API key", &["e2b_<h40>"]).entropy(30),
    high("firecrawl-key", "Firecrawl", "Firecrawl API key", &["fc-<h32>"]).entropy(28),
    high(
        "tavily-key",
        "Tavily",
        "Tavily API key",
        &["tvly-<u30-50>", "tvly-dev-<w30-40>", "tvly-prod-<w30-40>"],
    )
    .entropy(30),
    high("jina-key", "Jina AI", "Jina AI key", &["jina_<u50-70>"]).entropy(35),
    high("voyage-key", "Voyage AI", "Voyage AI key", &["pa-<u43>"]).entropy(38).check(Mixed),
    high("modal-token", "Modal", "Modal token secret", &["as-<w22>"])
        .keywords(&["modal"])
        .entropy(35),
    high("runpod-key", "RunPod", "RunPod API key", &["rpa_<w40-60>"]).entropy(30),
    high("baseten-key", "Baseten", "Baseten API key", &["<w8>.<w32>"])
        .keywords(&["baseten"])
        .entropy(30),
    high("qdrant-key", "Qdrant", "Qdrant cloud key", &["<u54>"]).keywords(&["qdrant"]).entropy(35),
    high("deepseek-key", "DeepSeek", "DeepSeek or compatible API key", &["sk-<h32>", "sk-<w48>"])
        .entropy(28),
    high("elevenlabs-key", "ElevenLabs", "ElevenLabs API key", &["sk_<h48>"]).entropy(30),
    high("cursor-key", "Cursor", "Cursor API key", &["key_<h64>", "crsr_<h64>"]).entropy(30),
    high("cohere-key", "Cohere", "Cohere API key", &["<w40>"])
        .keywords(&["cohere", "co_api_key"])
        .entropy(35),
    high("mistral-key", "Mistral", "Mistral API key", &["<w32>"])
        .keywords(&["mistral"])
        .entropy(35),
    high("assemblyai-key", "AssemblyAI", "AssemblyAI API key", &["<h32>"])
        .keywords(&["assemblyai", "assembly_ai"])
        .entropy(28),
    high("deepgram-key", "Deepgram", "Deepgram API key", &["<h40>"])
        .keywords(&["deepgram"])
        .entropy(30),
    high("wandb-legacy-key", "Weights & Biases", "Weights & Biases key", &["<h40>"])
        .keywords(&["wandb", "weights_and_biases"])
        .entropy(30),
    high("privateai-token", "Private AI", "Private AI token", &["<a32>"])
        .keywords(&["privateai", "private_ai", "private-ai"])
        .entropy(30),
    high("stability-key", "Stability AI", "Stability AI key", &["sk-<w48>"])
        .keywords(&["stability"])
        .entropy(35),
    high("deepl-key", "DeepL", "DeepL API key", &["<U>:fx", "<U>"])
        .keywords(&["deepl"])
        .entropy(28),
];
