"""
Writes a small language model: python model.py MODEL.gguf TEXT_FILE...

A Llama with random weights, so that nothing is downloaded, and a vocabulary of real tokens: all bytes, and the merges
that byte-pair encoding finds in the text files. What it says means nothing, and includes broken UTF-8 sequences. All
that an engine does around a model is there: chat template, tools, grammars, prompt cache, slots, token counts.
"""

import re
import sys
from collections import Counter
from pathlib import Path

import gguf
import numpy

MERGES = 200
CONTEXT = 131_072
WIDTH, LAYERS, HEADS, FEED_FORWARD = 128, 2, 4, 512
CONTROL = ["<|im_start|>", "<|im_end|>", "<|endoftext|>"]
# A token that stands in the text.
CALL = ["<tool_call>"]

# The template that Qwen and others use, shortened. Engines find out from it how calls are written; here a call begins
# with one token, so that a request can make this model call a tool by a bias on that token.
TEMPLATE = r"""
{%- if tools %}
{{- '<|im_start|>system\n<tools>' }}
{%- for tool in tools %}{{- '\n' }}{{- tool | tojson }}{%- endfor %}
{{- '\n</tools>\nA call: <tool_call>{"name": <name>, "arguments": <object>}</tool_call><|im_end|>\n' }}
{%- endif %}
{%- for message in messages %}
{{- '<|im_start|>' + message.role + '\n' }}
{%- if message.content %}{{- message.content }}{%- endif %}
{%- for call in message.tool_calls or [] %}
{{- '<tool_call>{"name": "' + call.function.name + '", "arguments": ' }}
{{- call.function.arguments | tojson }}
{{- '}</tool_call>' }}
{%- endfor %}
{{- '<|im_end|>\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\n' }}{%- endif %}
""".strip()


def main(path: str, *texts: str) -> None:
    tokens, merges = vocabulary("\n".join(Path(text).read_text() for text in texts))
    size = len(tokens) + len(CONTROL) + len(CALL)
    writer = gguf.GGUFWriter(path, "llama")
    write_shape(writer, size)
    write_tokenizer(writer, tokens, merges)
    write_weights(writer, size)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def vocabulary(text: str) -> tuple[list[str], list[str]]:
    """Byte-pair encoding over the words of the text. Returns all tokens, and the merges in their order."""
    letters = printable_bytes()
    words = Counter(re.findall(r" ?\w+| ?[^\s\w]+|\s+", text))
    spelled = {tuple(letters[byte] for byte in word.encode()): count for word, count in words.items()}
    tokens, merges = list(letters.values()), []
    for _ in range(MERGES):
        pairs: Counter[tuple[str, str]] = Counter()
        for word, count in spelled.items():
            for pair in zip(word, word[1:]):
                pairs[pair] += count
        left, right = pairs.most_common(1)[0][0]
        spelled = {merged(word, left, right): count for word, count in spelled.items()}
        merges.append(f"{left} {right}")
        tokens.append(left + right)
    return tokens, merges


def merged(word: tuple[str, ...], left: str, right: str) -> tuple[str, ...]:
    result: list[str] = []
    for token in word:
        if token == right and result and result[-1] == left:
            result[-1] = left + right
        else:
            result.append(token)
    return tuple(result)


def printable_bytes() -> dict[int, str]:
    """The letter for each byte in a vocabulary of this kind: printable ones stand for themselves."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return {byte: chr(byte) for byte in printable} | {byte: chr(256 + place) for place, byte in enumerate(others)}


def write_shape(writer: gguf.GGUFWriter, size: int) -> None:
    writer.add_name("tiny")
    writer.add_vocab_size(size)
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)


def write_tokenizer(writer: gguf.GGUFWriter, tokens: list[str], merges: list[str]) -> None:
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    types = {gguf.TokenType.NORMAL: tokens, gguf.TokenType.CONTROL: CONTROL, gguf.TokenType.USER_DEFINED: CALL}
    writer.add_token_list([token for group in types.values() for token in group])
    writer.add_token_types([kind for kind, group in types.items() for _ in group])
    writer.add_token_merges(merges)
    writer.add_eos_token_id(len(tokens) + CONTROL.index("<|im_end|>"))
    writer.add_bos_token_id(len(tokens) + CONTROL.index("<|endoftext|>"))
    writer.add_add_bos_token(False)
    writer.add_chat_template(TEMPLATE)


def write_weights(writer: gguf.GGUFWriter, size: int) -> None:
    random = numpy.random.default_rng(0)

    def add(name: str, *shape: int) -> None:
        writer.add_tensor(f"{name}.weight", (random.standard_normal(shape) * 0.08).astype(numpy.float32))

    def add_norm(name: str) -> None:
        writer.add_tensor(f"{name}.weight", numpy.ones(WIDTH, numpy.float32))

    add("token_embd", size, WIDTH)
    add_norm("output_norm")
    add("output", size, WIDTH)
    for layer in range(LAYERS):
        block = f"blk.{layer}"
        add_norm(f"{block}.attn_norm")
        for name in ["attn_q", "attn_k", "attn_v", "attn_output"]:
            add(f"{block}.{name}", WIDTH, WIDTH)
        add_norm(f"{block}.ffn_norm")
        add(f"{block}.ffn_gate", FEED_FORWARD, WIDTH)
        add(f"{block}.ffn_up", FEED_FORWARD, WIDTH)
        add(f"{block}.ffn_down", WIDTH, FEED_FORWARD)


main(*sys.argv[1:])
