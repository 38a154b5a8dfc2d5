"""The language of a question, and of its refusal."""

from __future__ import annotations

import pytest

from functions.answer.gate.calibration import BOOK_UNMEASURED, Signals
from functions.answer.gate.thresholds import GATE
from functions.answer.languages import language_of
from functions.answer.refusals import INSUFFICIENT_SELECTION, OUT_OF_SCOPE, refusal_sentence

QUESTIONS = {
    "de": "Wie hält ein Roboter das Gleichgewicht?",
    "fr": "Comment un robot garde-t-il l'équilibre sur un pied ?",
    "es": "¿Cómo mantiene el equilibrio un robot?",
    "it": "Come fa un robot a mantenere l'equilibrio?",
    "nl": "Hoe houdt een robot zijn evenwicht?",
    "pt": "Como é que um robô mantém o equilíbrio?",
    "pl": "Jak robot utrzymuje równowagę i co to jest ZMP?",
    "tr": "Bir robot dengesini nasıl korur?",
    "ru": "Как робот держит равновесие и что это такое?",
    "uk": "Як робот тримає рівновагу і що це таке?",
    "zh": "机器人如何保持平衡？",
    "ja": "ロボットはどのようにバランスを取りますか？",
    "ko": "로봇은 어떻게 균형을 유지합니까?",
    "ar": "كيف يحافظ الروبوت على توازنه؟",
    "hi": "रोबोट अपना संतुलन कैसे बनाए रखता है?",
    "ur": "روبوٹ اپنا توازن کیسے برقرار رکھتا ہے؟",
    "he": "איך רובוט שומר על שיווי משקל?",
}


@pytest.mark.parametrize(("language", "question"), QUESTIONS.items())
def test_a_question_is_refused_in_its_language(language: str, question: str) -> None:
    assert language_of(question) == language
    refused = refusal_sentence("out_of_scope", question)
    assert language_of(refused) == language
    assert refusal_sentence("not_grounded", question) not in (refused, INSUFFICIENT_SELECTION)


@pytest.mark.parametrize(
    "question",
    [
        "How does a robot keep its balance?",
        "What is die casting?",
        "Who was Leonardo da Vinci?",
        "What does c'est la vie mean?",
        "What does 平衡 mean?",
        "Robotik",
        "ZMP?",
        "",
    ],
)
def test_english_and_doubtful_questions_are_refused_in_english(question: str) -> None:
    assert refusal_sentence("out_of_scope", question) == OUT_OF_SCOPE


def test_the_words_of_a_question_in_another_language_do_not_count() -> None:
    near, far = Signals(0.6, 0, 0, 0, 0.6), Signals(0.2, 0, 0, 0, 0.6)
    calibration = BOOK_UNMEASURED.across_languages()
    assert BOOK_UNMEASURED.confidence(near) < GATE <= calibration.confidence(near)
    assert calibration.confidence(far) < GATE
