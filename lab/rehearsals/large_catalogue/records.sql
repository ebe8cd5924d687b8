-- Copies records of questions until there are so many copies, spread over the thirty days before.
SELECT audit_make_month(now() - interval '30 days');
INSERT INTO audit (id, asked_at, tenant_id, request_id, subject_name, session_id, turn, texts, question, route, retrieval,
                   decision, action, reason, answer, draft, markers, sentences, markers_dropped, sentences_dropped,
                   marker_score, sentence_score, citations_checked, citations_broken, tools, fallback_flags, policy_sha256,
                   duration_ms, stages, failure, subject_id)
SELECT md5('record ' || number)::uuid, now() - number * (interval '30 days' / :to_number), a.tenant_id,
       md5('request ' || number)::uuid, a.subject_name, a.session_id, a.turn, a.texts, a.question, a.route, a.retrieval,
       a.decision, a.action, a.reason, a.answer, a.draft, a.markers, a.sentences, a.markers_dropped, a.sentences_dropped,
       a.marker_score, a.sentence_score, a.citations_checked, a.citations_broken, a.tools, a.fallback_flags, a.policy_sha256,
       a.duration_ms, a.stages, a.failure, a.subject_id
FROM generate_series(:from_number, :to_number) AS number
JOIN (SELECT row_number() OVER (ORDER BY asked_at) - 1 AS place, * FROM (SELECT * FROM audit LIMIT 50) AS first_ones) AS a
    ON a.place = number % (SELECT least(count(*), 50) FROM audit);
VACUUM (ANALYZE) audit;
