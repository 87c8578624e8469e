"""
Writes a small Qwen3 model for transformers: python scripted_model.py FOLDER

Its layers add nothing, so the next token depends on the last one alone, and the weights are chosen so that one chain of
tokens follows another. The chat template begins the chain that the last message names, as in "[calls]". So the model
writes reasoning and calls of tools as a real one does, and the engine has to parse them.
"""

import json
import sys
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

CONTEXT = 4_096
WIDTH, HEADS = 256, 2
CONTROL = ["<|im_start|>", "<|im_end|>"]

# Each token is in one place of one chain.
CHAINS = {
    "text": ["one ", "two ", "three ", "four"],
    "reasoning": ["<think>", "Let me ", "look.", "</think>", "It ", "is ", "open."],
    "calls": [
        "<tool_call>",
        '{"name": "gauge", "arguments": {"open": true}}',
        "</tool_call>",
        "\n<tool_call>",
        '{"name": "gauge", "arguments": {"open": false}}',
        "\n</tool_call>",
    ],
    "endless": ["word "],
    # Longer than the 1,024 tokens that the engine allows where nothing says otherwise.
    "long": [f"{number}, " for number in range(1_200)],
}

TEMPLATE = """
{%- for message in messages %}
{{- '<|im_start|>' + message.role + '\\n' + (message.content or '') + '<|im_end|>\\n' }}
{%- endfor %}
{{- '<|im_start|>assistant\\n' }}
{%- set last = messages[-1].content or '' %}
{%- set ns = namespace(chain='text') %}
{%- for chain in NAMES %}{%- if '[' + chain + ']' in last %}{%- set ns.chain = chain %}{%- endif %}{%- endfor %}
{{- '<|' + ns.chain + '|>' }}
""".strip()

# What transformers has for Qwen3, with an answer that begins behind the chain's name.
RESPONSE = {
    "defaults": {"role": "assistant"},
    "start_anchor_pattern": r"<\|im_start\|>assistant\n<\|\w+\|>",
    "fields": {
        "reasoning_content": {"open": "<think>", "close": "</think>", "content": "text"},
        "tool_calls": {
            "open_pattern": r"\s*<tool_call>",
            "close": "</tool_call>",
            "repeats": True,
            "content": "json",
            "transform": {"type": "function", "function": "{content}"},
        },
        "content": {"close_pattern": r"\s*<\|im_end\|>", "content": "text"},
    },
}


def main(folder: str) -> None:
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    tokenizer = make_tokenizer()
    tokenizer.save(str(place / "tokenizer.json"))
    write(place / "tokenizer_config.json", tokenizer_config())
    size, end = tokenizer.get_vocab_size(), tokenizer.token_to_id("<|im_end|>")
    write(place / "config.json", model_config(size, end))
    # Without this, the engine ends every answer at 1,024 tokens.
    write(place / "generation_config.json", {"eos_token_id": end, "do_sample": False, "max_new_tokens": CONTEXT})
    save_file(weights(tokenizer, size), str(place / "model.safetensors"), metadata={"format": "pt"})


def make_tokenizer() -> Tokenizer:
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={letter: number for number, letter in enumerate(letters)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(text) for text in [*CONTROL, *(f"<|{name}|>" for name in CHAINS)]])
    pieces = [piece for chain in CHAINS.values() for piece in chain]
    assert len(set(pieces)) == len(pieces)
    tokenizer.add_tokens([AddedToken(piece, normalized=False) for piece in pieces])
    return tokenizer


def tokenizer_config() -> dict:
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "eos_token": "<|im_end|>",
        "model_max_length": CONTEXT,
        "chat_template": TEMPLATE.replace("NAMES", json.dumps(list(CHAINS))),
        "response_template": RESPONSE,
    }


def model_config(size: int, end: int) -> dict:
    return {
        "architectures": ["Qwen3ForCausalLM"],
        "model_type": "qwen3",
        "vocab_size": size,
        "hidden_size": WIDTH,
        "intermediate_size": WIDTH,
        "num_hidden_layers": 1,
        "num_attention_heads": HEADS,
        "num_key_value_heads": HEADS,
        "head_dim": 16,
        "max_position_embeddings": CONTEXT,
        "tie_word_embeddings": False,
        "eos_token_id": end,
        "dtype": "float32",
    }


def weights(tokenizer: Tokenizer, size: int) -> dict:
    generator = torch.Generator().manual_seed(0)
    inputs = torch.nn.functional.normalize(torch.randn(size, WIDTH, generator=generator))
    outputs = torch.zeros(size, WIDTH)
    for name, chain in CHAINS.items():
        after = chain[0] if name == "endless" else "<|im_end|>"
        for last, following in zip([f"<|{name}|>", *chain], [*chain, after]):
            outputs[tokenizer.token_to_id(following)] += 10 * inputs[tokenizer.token_to_id(last)]
    layer, head = "model.layers.0", HEADS * 16
    zeros = {f"{layer}.self_attn.{name}_proj.weight": torch.zeros(head, WIDTH) for name in "qkv"}
    return zeros | {
        "model.embed_tokens.weight": inputs,
        "lm_head.weight": outputs,
        "model.norm.weight": torch.ones(WIDTH),
        f"{layer}.input_layernorm.weight": torch.ones(WIDTH),
        f"{layer}.post_attention_layernorm.weight": torch.ones(WIDTH),
        f"{layer}.self_attn.q_norm.weight": torch.ones(16),
        f"{layer}.self_attn.k_norm.weight": torch.ones(16),
        f"{layer}.self_attn.o_proj.weight": torch.zeros(WIDTH, head),
        f"{layer}.mlp.gate_proj.weight": torch.zeros(WIDTH, WIDTH),
        f"{layer}.mlp.up_proj.weight": torch.zeros(WIDTH, WIDTH),
        f"{layer}.mlp.down_proj.weight": torch.zeros(WIDTH, WIDTH),
    }


def write(path: Path, value: dict) -> None:
    path.write_text(json.dumps(value))


main(*sys.argv[1:])
