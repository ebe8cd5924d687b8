"""What the verifier is told about shared words, and that earlier rounds still load."""

import torch
from tokenizers import Tokenizer, models

from ibidem_training import export, packing
from ibidem_training.evaluate import lenient, mean_best, refusing_in_both
from ibidem_training.mean import mean
from ibidem_training.model import Encoder, Verifier, distance_buckets, load, told_elsewhere
from ibidem_training.scoring import strangeness

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
    old = {name: value.clone() for name, value in model.state_dict().items() if name not in ("shared.weight", "stems")}
    again = Verifier(Encoder(CONFIG)).eval()
    load(again, old)
    with torch.no_grad():
        assert torch.equal(model(*pair())[0], again(*pair())[0])


def test_strange_words_lower_the_score_by_their_weight():
    torch.manual_seed(1)
    model = Verifier(Encoder(CONFIG)).eval()
    tells, stem = packing.np.ones(40, packing.np.float32), packing.np.arange(40)
    with torch.no_grad():
        plain = export.ShippedVerifier(model)(*pair())[0]
        heard = export.ShippedVerifier(model, (1.0, 0.0, 0.5), 0.0, tells, stem)(*pair())[0]
    against = plain[:, 1:].logsumexp(1)
    # Of the claim's tokens 6 is known, 9 is strange, and the last is the separator: one strange of two.
    wanted = (plain[:, 0] - against - 0.5 / 2**0.5) / 1.5
    assert torch.allclose(heard[:, 0] - against, wanted)
    assert torch.equal(plain[:, 1:], heard[:, 1:])


def test_measuring_and_the_exported_model_count_strange_words_alike():
    ids, _, types = pair()
    begin, end = types[0].tolist().index(1), 7
    tells, stem = packing.np.ones(40, packing.np.float32), packing.np.arange(40)
    assert strangeness(ids[0, begin:end].tolist(), ids[0, :begin].tolist(), tells, stem) == 1 / 2**0.5
    stem[9] = 5  # another form of a word that the premise has
    assert strangeness(ids[0, begin:end].tolist(), ids[0, :begin].tolist(), tells, stem) == 0


def test_forms_of_a_word_have_one_stem_and_other_words_another():
    assert {packing.stem(word) for word in ("decide", "decides", "decided", "deciding")} == {"decid"}
    assert packing.stem("stopped") == packing.stem("stops") == "stop"
    assert packing.stem("policies") == packing.stem("policy")
    assert packing.stem("press") != packing.stem("pre")


def test_the_threshold_lies_where_f1_is_high_in_all_sets_and_moves_with_the_scores():
    dice = packing.np.random.default_rng(1)
    truth = dice.random(400) > 0.2
    scores = dice.normal(size=400) + 4 * truth
    point, height = mean_best({"one": (scores, truth), "other": (scores, truth)})
    assert height > 0.8
    assert abs(mean_best({"one": (scores + 7, truth)})[0] - point - 7) < 0.2


def test_the_lenient_threshold_stops_one_in_twenty_faithful_pairs_whatever_else_there_is():
    np = packing.np
    scores = np.concatenate([np.arange(100.0), np.arange(-50.0, 50.0)])
    truth = np.arange(200) < 100
    kinds = np.where(np.arange(200) % 2, "one", "other")
    point = lenient(scores, truth, kinds)
    assert 4 <= (scores[truth] < point).sum() <= 6


def test_a_threshold_for_two_samples_refuses_the_wanted_share_on_average():
    hard, easy = packing.np.arange(100.0), packing.np.arange(50.0, 150.0)
    point = refusing_in_both(hard, easy, 0.1)
    assert abs(((hard < point).mean() + (easy < point).mean()) / 2 - 0.1) < 0.011


def test_signs_and_common_words_tell_nothing():
    made = Tokenizer(models.WordLevel({"[UNK]": 0, "the": 1, "dam": 2, ".": 3, "1977": 4}, unk_token="[UNK]"))
    assert packing.telling(made).tolist() == [0, 0, 1, 0, 1]


def test_a_mean_of_rounds_weighs_them_and_keeps_what_is_no_number():
    first = {"weight": torch.tensor([1.0, 3.0]), "stems": torch.tensor([0, 1])}
    second = {"weight": torch.tensor([5.0, 3.0]), "shared.weight": torch.tensor([4.0]), "stems": torch.tensor([0, 0])}
    found = mean([first, second], [3.0, 1.0])
    assert found["weight"].tolist() == [2.0, 3.0]
    assert found["shared.weight"].tolist() == [1.0]
    assert found["stems"].tolist() == [0, 0]


def test_far_distances_share_a_bias_and_before_is_not_behind():
    found = distance_buckets(300, 32)
    assert found[5, 5] == 0
    assert found[10, 7] == 3 and found[7, 10] == 19
    assert found[299, 0] == found[299, 100] == 15 and found[0, 299] == 31
    assert found.min() == 0 and found.max() == 31


def test_an_encoder_with_distances_reads_the_same_words_elsewhere_otherwise():
    torch.manual_seed(1)
    encoder = Encoder(CONFIG | {"relative_attention_num_buckets": 8}).eval()
    ids, types, mask = pair()
    with torch.no_grad():
        before = encoder(ids, mask, types)
        encoder.distances.weight[0] += 3.0
        assert not torch.allclose(before, encoder(ids, mask, types))
