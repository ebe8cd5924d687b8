"""What the verifier is told about shared words, and that earlier rounds still load."""

import torch
from tokenizers import Tokenizer, models

from ibidem_training import export, packing
from ibidem_training.model import Encoder, Verifier, load, told_elsewhere

CONFIG = {
    "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32, "vocab_size": 40,
    "max_position_embeddings": 32, "type_vocab_size": 2,
}  # fmt: skip


def pair():
    # first 5 6 7 separator, then 6 9 separator, then padding that repeats nothing of the claim
    ids = torch.tensor([[1, 5, 6, 7, 2, 6, 9, 3, 9, 9]])
    types = torch.tensor([[0, 0, 0, 0, 0, 1, 1, 1, 0, 0]])
    mask = torch.tensor([[1, 1, 1, 1, 1, 1, 1, 1, 0, 0]])
    return ids, mask, types


def test_a_word_is_marked_where_the_other_text_has_it_and_padding_has_nothing():
    assert told_elsewhere(*pair())[0, :8].tolist() == [0, 0, 1, 0, 0, 1, 0, 0]


def test_weights_of_a_round_without_marks_load_and_say_the_same():
    torch.manual_seed(1)
    model = Verifier(Encoder(CONFIG)).eval()
    old = {name: value.clone() for name, value in model.state_dict().items() if name != "shared.weight"}
    again = Verifier(Encoder(CONFIG)).eval()
    load(again, old)
    with torch.no_grad():
        assert torch.equal(model(*pair())[0], again(*pair())[0])


def test_strange_words_lower_the_score_by_their_weight():
    torch.manual_seed(1)
    model = Verifier(Encoder(CONFIG)).eval()
    tells = packing.np.ones(40, packing.np.float32)
    with torch.no_grad():
        plain = export.ShippedVerifier(model, "labels", 0.0, 1.0)(*pair())[0]
        heard = export.ShippedVerifier(model, "labels", 0.0, 1.0, 0.5, tells)(*pair())[0]
    # Of the claim's tokens 6 is known, 9 is strange, and the last is the separator.
    assert torch.allclose(plain[:, 0] - heard[:, 0], torch.tensor([0.5]))
    assert torch.equal(plain[:, 1:], heard[:, 1:])


def test_signs_and_common_words_tell_nothing():
    made = Tokenizer(models.WordLevel({"[UNK]": 0, "the": 1, "dam": 2, ".": 3, "1977": 4}, unk_token="[UNK]"))
    assert packing.telling(made).tolist() == [0, 0, 1, 0, 1]
