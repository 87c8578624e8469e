CREATE TABLE accounts(id VARCHAR(64)NOT NULL PRIMARY KEY, name VARCHAR(255)NOT NULL, status VARCHAR(16)NOT NULL, balance BIGINT NOT NULL, held BIGINT NOT NULL, price_limits TEXT NOT NULL, price_lock SMALLINT NOT NULL, order_timeout_s INT NOT NULL, retention_days INT NOT NULL, log_payloads SMALLINT NOT NULL, house SMALLINT NOT NULL, created_at_ms BIGINT NOT NULL, stored_bytes BIGINT NOT NULL DEFAULT 0, CONSTRAINT accounts_money CHECK(balance >= 0 AND held >= 0 AND held <= balance))WITHOUT ROWID;
INSERT INTO accounts (id, name, status, balance, held, price_limits, price_lock, order_timeout_s, retention_days, log_payloads, house, created_at_ms, stored_bytes) VALUES
('01a218a4-d591-7000-af48-c1c479499b64', 'Ada', 'active', 49999965934, 0, '{}', 0, 600, 30, 0, 0, 1795709785489, 8377),
('01a218a4-d6e4-7000-b821-fc1259bfffbb', 'Ben', 'active', 9999996300, 0, '{}', 0, 600, 30, 0, 0, 1795709785828, 1025),
('house', 'House', 'active', 0, 0, '{}', 0, 600, 0, 0, 1, 1795709788212, 0);
CREATE TABLE api_keys(id VARCHAR(64)NOT NULL PRIMARY KEY, account_id VARCHAR(64)NOT NULL, hash CHAR(64)NOT NULL, name VARCHAR(255)NOT NULL, hint VARCHAR(32)NOT NULL, price_limits TEXT NOT NULL, created_at_ms BIGINT NOT NULL, revoked_at_ms BIGINT NULL)WITHOUT ROWID;
CREATE INDEX api_keys_by_account ON api_keys(account_id, created_at_ms);
CREATE UNIQUE INDEX api_keys_by_hash ON api_keys(hash);
INSERT INTO api_keys (id, account_id, hash, name, hint, price_limits, created_at_ms, revoked_at_ms) VALUES
('01a218a4-d83a-7000-b606-e6e8065c729e', '01a218a4-d591-7000-af48-c1c479499b64', '6a27a9728262aaf4c72fb5208e0cf44183023f468b8a7cff376f9056b77c0351', 'key', 'sk-sluice-5Sip…Nsbo', '{}', 1795709786170, NULL),
('01a218a4-daab-7000-93a5-7626e7b59464', '01a218a4-d6e4-7000-b821-fc1259bfffbb', 'ac01279d2fb6c50545e8cac893c40f55b21e1531e6d46b8a415984d69061c5f0', 'key', 'sk-sluice-VOeW…Qdqo', '{}', 1795709786795, NULL);
CREATE TABLE batch_lines(batch_id VARCHAR(64)NOT NULL, line BIGINT NOT NULL, custom_id TEXT NOT NULL, order_id VARCHAR(36)NULL, status VARCHAR(16)NULL, error VARCHAR(64)NULL, error_message TEXT NULL, placed VARCHAR(8)NULL, PRIMARY KEY(batch_id, line))WITHOUT ROWID;
INSERT INTO batch_lines (batch_id, line, custom_id, order_id, status, error, error_message, placed) VALUES
('batch_01a218a4eed9000fc169ac6b', 1, '"line-1"', '01a218a4-eeef-7000-b4ab-41873e332f5b', NULL, NULL, NULL, 'output'),
('batch_01a218a4eed9000fc169ac6b', 2, '"line-2"', '01a218a4-eeef-7001-9fd9-904ae9922d4c', NULL, NULL, NULL, 'output'),
('batch_01a218a4eed9000fc169ac6b', 3, '"line-3"', NULL, 'error', 'model_not_found', 'No model "nowhere" is served here. GET /v1/models lists them.', 'errors');
CREATE TABLE batches(id VARCHAR(64)NOT NULL PRIMARY KEY, account_id VARCHAR(64)NOT NULL, key_id VARCHAR(64)NULL, kind VARCHAR(16)NOT NULL, status VARCHAR(16)NOT NULL, input_file_id VARCHAR(64)NOT NULL, output_file_id VARCHAR(64)NOT NULL, error_file_id VARCHAR(64)NOT NULL, price_limit BIGINT NULL, price_limits TEXT NOT NULL, tariffs TEXT NOT NULL, retention_days INT NOT NULL, log_payloads SMALLINT NOT NULL, metadata TEXT NULL, errors TEXT NULL, created_at_ms BIGINT NOT NULL, expires_at_ms BIGINT NOT NULL, in_progress_at_ms BIGINT NULL, cancelling_at_ms BIGINT NULL, ended_at_ms BIGINT NULL, total BIGINT NULL, active BIGINT NOT NULL, completed BIGINT NOT NULL, failed BIGINT NOT NULL, expired BIGINT NOT NULL, canceled BIGINT NOT NULL, placed BIGINT NOT NULL, output_bytes BIGINT NOT NULL, error_bytes BIGINT NOT NULL)WITHOUT ROWID;
CREATE INDEX batches_by_account ON batches(account_id, id);
CREATE INDEX batches_by_input ON batches(input_file_id);
CREATE INDEX batches_by_status ON batches(status, id);
INSERT INTO batches (id, account_id, key_id, kind, status, input_file_id, output_file_id, error_file_id, price_limit, price_limits, tariffs, retention_days, log_payloads, metadata, errors, created_at_ms, expires_at_ms, in_progress_at_ms, cancelling_at_ms, ended_at_ms, total, active, completed, failed, expired, canceled, placed, output_bytes, error_bytes) VALUES
('batch_01a218a4eed9000fc169ac6b', '01a218a4-d591-7000-af48-c1c479499b64', '01a218a4-d83a-7000-b606-e6e8065c729e', 'chat', 'completed', 'file-01a218a4eed170009c80987fc470756d', 'file-01a218a4eed97001b20fbd26a827bf6e', 'file-01a218a4eed97002934f5c84a5d7cc25', NULL, '{}', '{"tide-70b":"market:100000000:1000000000:4000000000","harbor-8b":"fixed:20000000:100000000:400000000"}', 30, 0, NULL, NULL, 1795709791961, 1795796191961, 1795709791985, NULL, 1795709792233, 3, 0, 2, 1, 0, 0, 3, 1614, 194);
CREATE TABLE counters(name VARCHAR(64)NOT NULL PRIMARY KEY, value BIGINT NOT NULL)WITHOUT ROWID;
INSERT INTO counters (name, value) VALUES
('boot', 1);
CREATE TABLE downloads(account_id VARCHAR(64)NOT NULL PRIMARY KEY, used_bytes BIGINT NOT NULL, at_ms BIGINT NOT NULL)WITHOUT ROWID;
CREATE TABLE entries(account_id VARCHAR(64)NOT NULL, unique_key VARCHAR(300)NOT NULL, id VARCHAR(64)NOT NULL, kind VARCHAR(16)NOT NULL, amount BIGINT NOT NULL, order_id VARCHAR(36)NULL, reason VARCHAR(1000)NULL, created_at_ms BIGINT NOT NULL, PRIMARY KEY(account_id, unique_key))WITHOUT ROWID;
INSERT INTO entries (account_id, unique_key, id, kind, amount, order_id, reason, created_at_ms) VALUES
('01a218a4-d591-7000-af48-c1c479499b64', 'charge:01a218a4-e0fe-7000-ab03-f79fb8665737', '01a218a4-e0fe-7000-ab03-f79fb8665737', 'charge', -2700, '01a218a4-e0fe-7000-ab03-f79fb8665737', NULL, 1795709788623),
('01a218a4-d591-7000-af48-c1c479499b64', 'charge:01a218a4-e1d9-7000-8fce-c5aefbda4960', '01a218a4-e1d9-7000-8fce-c5aefbda4960', 'charge', -2700, '01a218a4-e1d9-7000-8fce-c5aefbda4960', NULL, 1795709788851),
('01a218a4-d591-7000-af48-c1c479499b64', 'charge:01a218a4-e2b8-7000-ab34-b41940ede9d1', '01a218a4-e2b8-7000-ab34-b41940ede9d1', 'charge', -1000, '01a218a4-e2b8-7000-ab34-b41940ede9d1', NULL, 1795709789072),
('01a218a4-d591-7000-af48-c1c479499b64', 'charge:01a218a4-e9e6-7000-83aa-c15d44dcc51c', '01a218a4-e9e6-7000-83aa-c15d44dcc51c', 'charge', -1000, '01a218a4-e9e6-7000-83aa-c15d44dcc51c', NULL, 1795709790902),
('01a218a4-d591-7000-af48-c1c479499b64', 'charge:01a218a4-eabb-7001-90ef-5d29df9b1662', '01a218a4-eabb-7001-90ef-5d29df9b1662', 'charge', -2700, '01a218a4-eabb-7001-90ef-5d29df9b1662', NULL, 1795709791112),
('01a218a4-d591-7000-af48-c1c479499b64', 'charge:01a218a4-eabe-7001-8510-d109455e087d', '01a218a4-eabe-7001-8510-d109455e087d', 'charge', -2700, '01a218a4-eabe-7001-8510-d109455e087d', NULL, 1795709791112),
('01a218a4-d591-7000-af48-c1c479499b64', 'charge:01a218a4-eb96-7000-b000-1c71faf982a9', '01a218a4-eb96-7000-b000-1c71faf982a9', 'charge', -8407, '01a218a4-eb96-7000-b000-1c71faf982a9', NULL, 1795709791807),
('01a218a4-d591-7000-af48-c1c479499b64', 'charge:01a218a4-eb97-7000-87c2-d500a063eda7', '01a218a4-eb97-7000-87c2-d500a063eda7', 'charge', -8407, '01a218a4-eb97-7000-87c2-d500a063eda7', NULL, 1795709791806),
('01a218a4-d591-7000-af48-c1c479499b64', 'charge:01a218a4-ecc2-7001-bec0-6ec99927f887', '01a218a4-ecc2-7001-bec0-6ec99927f887', 'charge', -52, '01a218a4-ecc2-7001-bec0-6ec99927f887', NULL, 1795709791929),
('01a218a4-d591-7000-af48-c1c479499b64', 'charge:01a218a4-eeef-7000-b4ab-41873e332f5b', '01a218a4-eeef-7000-b4ab-41873e332f5b', 'charge', -2700, '01a218a4-eeef-7000-b4ab-41873e332f5b', NULL, 1795709792208),
('01a218a4-d591-7000-af48-c1c479499b64', 'charge:01a218a4-eeef-7001-9fd9-904ae9922d4c', '01a218a4-eeef-7001-9fd9-904ae9922d4c', 'charge', -2700, '01a218a4-eeef-7001-9fd9-904ae9922d4c', NULL, 1795709792209),
('01a218a4-d591-7000-af48-c1c479499b64', 'key:01a218a4-d592-7000-a677-49d6886cd784', '01a218a4-d592-7000-a677-49d6886cd784', 'top_up', 50000000000, NULL, 'first', 1795709785490),
('01a218a4-d591-7000-af48-c1c479499b64', 'key:01a218a5-2423-7000-b181-3a8f9f21b712', '01a218a5-2423-7000-b181-3a8f9f21b712', 'refund', 1000, NULL, NULL, 1795709805603),
('01a218a4-d6e4-7000-b821-fc1259bfffbb', 'charge:01a218a4-e7c5-7000-bdfb-0bec6455bd4c', '01a218a4-e7c5-7000-bdfb-0bec6455bd4c', 'charge', -1000, '01a218a4-e7c5-7000-bdfb-0bec6455bd4c', NULL, 1795709790354),
('01a218a4-d6e4-7000-b821-fc1259bfffbb', 'charge:01a218a4-e909-7000-9b30-106a3b8edc8e', '01a218a4-e909-7000-9b30-106a3b8edc8e', 'charge', -2700, '01a218a4-e909-7000-9b30-106a3b8edc8e', NULL, 1795709790679),
('01a218a4-d6e4-7000-b821-fc1259bfffbb', 'key:01a218a4-d6e6-7000-8dd6-56843ed69709', '01a218a4-d6e6-7000-8dd6-56843ed69709', 'top_up', 10000000000, NULL, 'first', 1795709785830),
('house', 'charge:01a218a4-e732-7000-ac66-a5f9fa8d58cd', '01a218a4-e732-7000-ac66-a5f9fa8d58cd', 'charge', -1926, '01a218a4-e732-7000-ac66-a5f9fa8d58cd', NULL, 1795709790249),
('house', 'charge:01a218a4-e732-7001-863e-f224cb8a072f', '01a218a4-e732-7001-863e-f224cb8a072f', 'charge', -5200, '01a218a4-e732-7001-863e-f224cb8a072f', NULL, 1795709790304),
('house', 'charge:01a218a5-0e43-7000-b0e5-e325d9eaf4b7', '01a218a5-0e43-7000-b0e5-e325d9eaf4b7', 'charge', -1926, '01a218a5-0e43-7000-b0e5-e325d9eaf4b7', NULL, 1795709800256),
('house', 'charge:01a218a5-0e43-7001-a0dc-9422922c0c87', '01a218a5-0e43-7001-a0dc-9422922c0c87', 'charge', -5200, '01a218a5-0e43-7001-a0dc-9422922c0c87', NULL, 1795709800328),
('house', 'house:01a218a4-e732-7000-ac66-a5f9fa8d58cd', '01a218a4-e732-7000-ac66-a5f9fa8d58cd', 'top_up', 1926, '01a218a4-e732-7000-ac66-a5f9fa8d58cd', NULL, 1795709790249),
('house', 'house:01a218a4-e732-7001-863e-f224cb8a072f', '01a218a4-e732-7001-863e-f224cb8a072f', 'top_up', 5200, '01a218a4-e732-7001-863e-f224cb8a072f', NULL, 1795709790304),
('house', 'house:01a218a5-0e43-7000-b0e5-e325d9eaf4b7', '01a218a5-0e43-7000-b0e5-e325d9eaf4b7', 'top_up', 1926, '01a218a5-0e43-7000-b0e5-e325d9eaf4b7', NULL, 1795709800256),
('house', 'house:01a218a5-0e43-7001-a0dc-9422922c0c87', '01a218a5-0e43-7001-a0dc-9422922c0c87', 'top_up', 5200, '01a218a5-0e43-7001-a0dc-9422922c0c87', NULL, 1795709800328);
CREATE TABLE files(id VARCHAR(40)NOT NULL PRIMARY KEY, account_id VARCHAR(64)NOT NULL, purpose VARCHAR(16)NOT NULL, filename VARCHAR(255)NOT NULL, bytes BIGINT NOT NULL, created_at_ms BIGINT NOT NULL, expires_at_ms BIGINT NOT NULL, content_gone SMALLINT NOT NULL)WITHOUT ROWID;
CREATE INDEX files_by_account ON files(account_id, id);
CREATE INDEX files_by_age ON files(account_id, content_gone, id);
CREATE INDEX files_by_expiry ON files(content_gone, expires_at_ms, id);
CREATE INDEX files_by_purpose ON files(account_id, purpose, id);
INSERT INTO files (id, account_id, purpose, filename, bytes, created_at_ms, expires_at_ms, content_gone) VALUES
('file-01a218a4eed170009c80987fc470756d', '01a218a4-d591-7000-af48-c1c479499b64', 'batch', 'lines.jsonl', 474, 1795709791953, 1798301791953, 0),
('file-01a218a4eed97001b20fbd26a827bf6e', '01a218a4-d591-7000-af48-c1c479499b64', 'batch_output', 'batch_01a218a4eed9000fc169ac6b_output.jsonl', 1614, 1795709792233, 1798301792233, 0),
('file-01a218a4eed97002934f5c84a5d7cc25', '01a218a4-d591-7000-af48-c1c479499b64', 'batch_errors', 'batch_01a218a4eed9000fc169ac6b_errors.jsonl', 194, 1795709792233, 1798301792233, 0);
CREATE TABLE gateway_runs(boot BIGINT NOT NULL PRIMARY KEY, from_ms BIGINT NOT NULL, until_ms BIGINT NOT NULL, in_blocks SMALLINT NOT NULL DEFAULT 0)WITHOUT ROWID;
INSERT INTO gateway_runs (boot, from_ms, until_ms, in_blocks) VALUES
(1, 1795709788187, 1795709804436, 1);
CREATE TABLE idempotency_keys(account_id VARCHAR(64)NOT NULL, endpoint VARCHAR(32)NOT NULL, idempotency_key VARCHAR(255)NOT NULL, order_id VARCHAR(36)NOT NULL, fingerprint VARCHAR(128)NOT NULL, created_at_ms BIGINT NOT NULL, expires_at_ms BIGINT NOT NULL, PRIMARY KEY(account_id, endpoint, idempotency_key))WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys(expires_at_ms);
CREATE INDEX idempotency_keys_by_order ON idempotency_keys(order_id);
INSERT INTO idempotency_keys (account_id, endpoint, idempotency_key, order_id, fingerprint, created_at_ms, expires_at_ms) VALUES
('01a218a4-d591-7000-af48-c1c479499b64', 'chat', 'once', '01a218a4-e9e6-7000-83aa-c15d44dcc51c', '5fbe18a3adb9b3d5c554e315c46f3e7728c69d1c8f26d7a3844b3ab0b5440ee7', 1795709790694, 1798301790902);
CREATE TABLE level_blocks(model VARCHAR(255)NOT NULL, width_ms INT NOT NULL, from_ms BIGINT NOT NULL, boot BIGINT NOT NULL, slots BLOB NOT NULL, PRIMARY KEY(model, width_ms, from_ms, boot));
INSERT INTO level_blocks (model, width_ms, from_ms, boot, slots) VALUES
('tide-70b', 1000, 1795709760000, 1, X'001c031b00000000009896800000000000989680000000000098968000000000009896800000000000989680001d03e800000000009896800000000000989680000000000098968000000000009896800000000000989680001e03e800000000009896800000000000989680000000000098968000000000009896800000000000989680001f03e800000000009896800000000000989680000000000098968000000000009896800000000000989680002003e800000000009896800000000000a21b1000000000009896800000000000a21b100000000000a01dd2002103e80000000000a21b100000000000a21b1000000000009a332100000000009a332100000000009bda22002203e800000000009a332100000000009a332100000000009896800000000000989680000000000098ed27002303e800000000009896800000000000989680000000000098968000000000009896800000000000989680002403e800000000009896800000000000989680000000000098968000000000009896800000000000989680002503e800000000009896800000000000989680000000000098968000000000009896800000000000989680002603e800000000009896800000000000989680000000000098968000000000009896800000000000989680002703e800000000009896800000000000989680000000000098968000000000009896800000000000989680002803e800000000009896800000000000989680000000000098968000000000009896800000000000989680002903e800000000009896800000000000989680000000000098968000000000009896800000000000989680002a03e800000000009896800000000000989680000000000098968000000000009896800000000000989680002b03e800000000009896800000000000989680000000000098968000000000009896800000000000989680002c01b400000000009896800000000000989680000000000098968000000000009896800000000000989680'),
('tide-70b', 15000, 1795709700000, 1, X'00050703000000000098968000000000009896800000000000989680000000000098968000000000009896800006386400000000009896800000000000a21b10000000000098968000000000009896800000000000995be5'),
('tide-70b', 60000, 1795708800000, 1, X'00103f6700000000009896800000000000a21b10000000000098968000000000009896800000000000994611');
CREATE TABLE levels(model VARCHAR(255)NOT NULL, level_seq BIGINT NOT NULL, level BIGINT NOT NULL, at_ms BIGINT NOT NULL, PRIMARY KEY(model, level_seq))WITHOUT ROWID;
CREATE INDEX levels_by_time ON levels(model, at_ms);
INSERT INTO levels (model, level_seq, level, at_ms) VALUES
('tide-70b', 1, 10000000, 1795709788205),
('tide-70b', 2, 10000000, 1795709788254),
('tide-70b', 3, 10623760, 1795709792209),
('tide-70b', 4, 10105633, 1795709793209),
('tide-70b', 5, 10000000, 1795709794210);
CREATE TABLE lock_minutes(model VARCHAR(255)NOT NULL, minute_ms BIGINT NOT NULL, started BIGINT NOT NULL, missed BIGINT NOT NULL, PRIMARY KEY(model, minute_ms))WITHOUT ROWID;
CREATE TABLE markets(model VARCHAR(255)NOT NULL PRIMARY KEY, level_seq BIGINT NOT NULL, level BIGINT NOT NULL, at_ms BIGINT NOT NULL)WITHOUT ROWID;
INSERT INTO markets (model, level_seq, level, at_ms) VALUES
('tide-70b', 5, 10000000, 1795709794210);
CREATE TABLE migrations(id VARCHAR(64)NOT NULL PRIMARY KEY);
INSERT INTO migrations (id) VALUES
('0001_foundation'),
('0002_quotes'),
('0003_order_days'),
('0004_level_history'),
('0005_results'),
('0006_model_tokens'),
('0007_request_logs'),
('0008_probes'),
('0009_files'),
('0010_batches'),
('0011_stored_answers'),
('0012_order_hours'),
('0014_ended_index_anew'),
('0015_level_blocks'),
('0016_batch_indexes');
CREATE TABLE model_tokens(model VARCHAR(255)NOT NULL, bucket_ms BIGINT NOT NULL, uncached_tokens BIGINT NOT NULL, cached_tokens BIGINT NOT NULL, output_tokens BIGINT NOT NULL, requests BIGINT NOT NULL, earned BIGINT NOT NULL, PRIMARY KEY(model, bucket_ms))WITHOUT ROWID;
INSERT INTO model_tokens (model, bucket_ms, uncached_tokens, cached_tokens, output_tokens, requests, earned) VALUES
('harbor-8b', 1795709700000, 77, 0, 28, 7, 18900),
('tide-70b', 1795709700000, 56, 4, 120, 6, 19866);
CREATE TABLE order_bodies(order_id VARCHAR(36)NOT NULL PRIMARY KEY, body LONGTEXT NOT NULL);
CREATE TABLE order_days(account_id VARCHAR(64)NOT NULL, day INT NOT NULL, model VARCHAR(255)NOT NULL, kind VARCHAR(16)NOT NULL, status VARCHAR(16)NOT NULL, in_batch SMALLINT NOT NULL, market SMALLINT NOT NULL, orders BIGINT NOT NULL, charged BIGINT NOT NULL, at_bid_usd BIGINT NOT NULL, at_bid_nano BIGINT NOT NULL, PRIMARY KEY(account_id, day, model, kind, status, in_batch, market))WITHOUT ROWID;
INSERT INTO order_days (account_id, day, model, kind, status, in_batch, market, orders, charged, at_bid_usd, at_bid_nano) VALUES
('01a218a4-d591-7000-af48-c1c479499b64', 20783, 'harbor-8b', 'chat', 'done', 0, 0, 4, 10800, 0, 10800),
('01a218a4-d591-7000-af48-c1c479499b64', 20783, 'harbor-8b', 'chat', 'done', 1, 0, 2, 5400, 0, 5400),
('01a218a4-d591-7000-af48-c1c479499b64', 20783, 'tide-70b', 'chat', 'done', 0, 1, 5, 18866, 0, 94079259),
('01a218a4-d6e4-7000-b821-fc1259bfffbb', 20783, 'harbor-8b', 'responses', 'done', 0, 0, 1, 2700, 0, 2700),
('01a218a4-d6e4-7000-b821-fc1259bfffbb', 20783, 'tide-70b', 'messages', 'done', 0, 1, 1, 1000, 0, 5000000),
('house', 20783, 'harbor-8b', 'chat', 'done', 0, 0, 2, 10400, 0, 10400),
('house', 20783, 'tide-70b', 'chat', 'done', 0, 1, 2, 3852, 0, 3852);
CREATE TABLE order_hours(account_id VARCHAR(64)NOT NULL, hour INT NOT NULL, model VARCHAR(255)NOT NULL, kind VARCHAR(16)NOT NULL, status VARCHAR(16)NOT NULL, in_batch SMALLINT NOT NULL, market SMALLINT NOT NULL, orders BIGINT NOT NULL, charged BIGINT NOT NULL, at_bid_usd BIGINT NOT NULL, at_bid_nano BIGINT NOT NULL, PRIMARY KEY(account_id, hour, model, kind, status, in_batch, market))WITHOUT ROWID;
INSERT INTO order_hours (account_id, hour, model, kind, status, in_batch, market, orders, charged, at_bid_usd, at_bid_nano) VALUES
('01a218a4-d591-7000-af48-c1c479499b64', 498808, 'harbor-8b', 'chat', 'done', 0, 0, 4, 10800, 0, 10800),
('01a218a4-d591-7000-af48-c1c479499b64', 498808, 'harbor-8b', 'chat', 'done', 1, 0, 2, 5400, 0, 5400),
('01a218a4-d591-7000-af48-c1c479499b64', 498808, 'tide-70b', 'chat', 'done', 0, 1, 5, 18866, 0, 94079259),
('01a218a4-d6e4-7000-b821-fc1259bfffbb', 498808, 'harbor-8b', 'responses', 'done', 0, 0, 1, 2700, 0, 2700),
('01a218a4-d6e4-7000-b821-fc1259bfffbb', 498808, 'tide-70b', 'messages', 'done', 0, 1, 1, 1000, 0, 5000000),
('house', 498808, 'harbor-8b', 'chat', 'done', 0, 0, 2, 10400, 0, 10400),
('house', 498808, 'tide-70b', 'chat', 'done', 0, 1, 2, 3852, 0, 3852);
CREATE TABLE orders(id VARCHAR(36)NOT NULL PRIMARY KEY, account_id VARCHAR(64)NOT NULL, key_id VARCHAR(64)NULL, kind VARCHAR(16)NOT NULL, model VARCHAR(255)NOT NULL, status VARCHAR(16)NOT NULL, bid BIGINT NOT NULL, price_limit BIGINT NULL, price_lock SMALLINT NOT NULL, quote_at_submission BIGINT NULL, tariff_id VARCHAR(128)NOT NULL, created_at_ms BIGINT NOT NULL, admitted_at_ms BIGINT NULL, finished_at_ms BIGINT NULL, expires_at_ms BIGINT NOT NULL, level_at_execution BIGINT NULL, level_seq BIGINT NULL, price_cap BIGINT NULL, attempt INT NOT NULL, failures INT NOT NULL, hold BIGINT NOT NULL, rested_seq BIGINT NULL, pod VARCHAR(255)NULL, error VARCHAR(64)NULL, error_message TEXT NULL, detached SMALLINT NOT NULL, outlives SMALLINT NOT NULL, house SMALLINT NOT NULL, batch_id VARCHAR(64)NULL, custom_id TEXT NULL, prompt_bound BIGINT NOT NULL, prompt_estimate BIGINT NOT NULL, output_cap BIGINT NOT NULL, result_state VARCHAR(16)NOT NULL, result_expires_at_ms BIGINT NULL, retention_days INT NOT NULL, boot_epoch BIGINT NOT NULL)WITHOUT ROWID;
CREATE INDEX orders_by_account ON orders(account_id, created_at_ms, id, batch_id);
CREATE INDEX orders_by_batch ON orders(batch_id, created_at_ms)WHERE batch_id IS NOT NULL;
CREATE INDEX orders_ended ON orders(account_id, model, kind, status, created_at_ms, id, batch_id)WHERE status NOT IN('queued', 'executing');
CREATE INDEX orders_live ON orders(account_id, created_at_ms)WHERE status IN('queued', 'executing');
INSERT INTO orders (id, account_id, key_id, kind, model, status, bid, price_limit, price_lock, quote_at_submission, tariff_id, created_at_ms, admitted_at_ms, finished_at_ms, expires_at_ms, level_at_execution, level_seq, price_cap, attempt, failures, hold, rested_seq, pod, error, error_message, detached, outlives, house, batch_id, custom_id, prompt_bound, prompt_estimate, output_cap, result_state, result_expires_at_ms, retention_days, boot_epoch) VALUES
('01a218a4-e0fe-7000-ab03-f79fb8665737', '01a218a4-d591-7000-af48-c1c479499b64', '01a218a4-d83a-7000-b606-e6e8065c729e', 'chat', 'harbor-8b', 'done', 36000000, NULL, 0, NULL, 'fixed:20000000:100000000:400000000', 1795709788414, 1795709788414, 1795709788623, 1795710388414, 36000000, 0, 36000000, 1, 0, 0, 1, 'sim-3', NULL, NULL, 0, 0, 0, NULL, NULL, 11, 5, 4, 'stored', 1798301788623, 30, 1),
('01a218a4-e1d9-7000-8fce-c5aefbda4960', '01a218a4-d591-7000-af48-c1c479499b64', '01a218a4-d83a-7000-b606-e6e8065c729e', 'chat', 'harbor-8b', 'done', 36000000, NULL, 0, NULL, 'fixed:20000000:100000000:400000000', 1795709788633, 1795709788633, 1795709788851, 1795710388633, 36000000, 0, 36000000, 1, 0, 0, 2, 'sim-3', NULL, NULL, 0, 0, 0, NULL, NULL, 11, 5, 4, 'stored', 1798301788851, 30, 1),
('01a218a4-e2b8-7000-ab34-b41940ede9d1', '01a218a4-d591-7000-af48-c1c479499b64', '01a218a4-d83a-7000-b606-e6e8065c729e', 'chat', 'tide-70b', 'done', 50000000000, 50000000000, 0, NULL, 'market:100000000:1000000000:4000000000', 1795709788856, 1795709788857, 1795709789072, 1795710388856, 10000000, 2, 10000000, 1, 0, 0, 1, 'sim-1', NULL, NULL, 0, 0, 0, NULL, NULL, 11, 5, 4, 'stored', 1798301789072, 30, 1),
('01a218a4-e732-7000-ac66-a5f9fa8d58cd', 'house', NULL, 'chat', 'tide-70b', 'done', 10000000, 10000000, 0, NULL, 'market:100000000:1000000000:4000000000', 1795709790002, 1795709790002, 1795709790249, 1795709800002, 10000000, 2, 10000000, 1, 0, 0, 7, 'sim-1', NULL, NULL, 0, 0, 1, NULL, NULL, 21, 10, 8, 'none', NULL, 0, 1),
('01a218a4-e732-7001-863e-f224cb8a072f', 'house', NULL, 'chat', 'harbor-8b', 'done', 36000000, NULL, 0, NULL, 'fixed:20000000:100000000:400000000', 1795709790002, 1795709790002, 1795709790304, 1795709800002, 36000000, 0, 36000000, 1, 0, 0, 3, 'sim-3', NULL, NULL, 0, 0, 1, NULL, NULL, 21, 10, 8, 'none', NULL, 0, 1),
('01a218a4-e7c5-7000-bdfb-0bec6455bd4c', '01a218a4-d6e4-7000-b821-fc1259bfffbb', '01a218a4-daab-7000-93a5-7626e7b59464', 'messages', 'tide-70b', 'done', 50000000000, 50000000000, 0, NULL, 'market:100000000:1000000000:4000000000', 1795709790149, 1795709790149, 1795709790354, 1795710390149, 10000000, 2, 10000000, 1, 0, 0, 8, 'sim-1', NULL, NULL, 0, 0, 0, NULL, NULL, 11, 5, 4, 'stored', 1798301790354, 30, 1),
('01a218a4-e909-7000-9b30-106a3b8edc8e', '01a218a4-d6e4-7000-b821-fc1259bfffbb', '01a218a4-daab-7000-93a5-7626e7b59464', 'responses', 'harbor-8b', 'done', 36000000, NULL, 0, NULL, 'fixed:20000000:100000000:400000000', 1795709790473, 1795709790473, 1795709790679, 1795710390473, 36000000, 0, 36000000, 1, 0, 0, 4, 'sim-3', NULL, NULL, 0, 0, 0, NULL, NULL, 11, 5, 4, 'stored', 1798301790679, 30, 1),
('01a218a4-e9e6-7000-83aa-c15d44dcc51c', '01a218a4-d591-7000-af48-c1c479499b64', '01a218a4-d83a-7000-b606-e6e8065c729e', 'chat', 'tide-70b', 'done', 50000000000, 50000000000, 0, NULL, 'market:100000000:1000000000:4000000000', 1795709790694, 1795709790694, 1795709790902, 1795710390694, 10000000, 2, 10000000, 1, 0, 0, 9, 'sim-1', NULL, NULL, 0, 1, 0, NULL, NULL, 11, 5, 4, 'stored', 1798301790902, 30, 1),
('01a218a4-eabb-7001-90ef-5d29df9b1662', '01a218a4-d591-7000-af48-c1c479499b64', '01a218a4-d83a-7000-b606-e6e8065c729e', 'chat', 'harbor-8b', 'done', 36000000, NULL, 0, NULL, 'fixed:20000000:100000000:400000000', 1795709790907, 1795709790907, 1795709791112, 1795710390907, 36000000, 0, 36000000, 1, 0, 0, 5, 'sim-3', NULL, NULL, 1, 1, 0, NULL, NULL, 11, 5, 4, 'stored', 1798301791112, 30, 1),
('01a218a4-eabe-7001-8510-d109455e087d', '01a218a4-d591-7000-af48-c1c479499b64', '01a218a4-d83a-7000-b606-e6e8065c729e', 'chat', 'harbor-8b', 'done', 36000000, NULL, 0, NULL, 'fixed:20000000:100000000:400000000', 1795709790910, 1795709790911, 1795709791112, 1795710390910, 36000000, 0, 36000000, 1, 0, 0, 6, 'sim-3', NULL, NULL, 0, 0, 0, NULL, NULL, 11, 5, 4, 'stored', 1798301791112, 30, 1),
('01a218a4-eb96-7000-b000-1c71faf982a9', '01a218a4-d591-7000-af48-c1c479499b64', '01a218a4-d83a-7000-b606-e6e8065c729e', 'chat', 'tide-70b', 'done', 50000000000, 50000000000, 0, NULL, 'market:100000000:1000000000:4000000000', 1795709791126, 1795709791126, 1795709791807, 1795710391126, 10000000, 2, 10000000, 1, 0, 0, 10, 'sim-1', NULL, NULL, 0, 0, 0, NULL, NULL, 11, 5, 300, 'stored', 1798301791807, 30, 1),
('01a218a4-eb97-7000-87c2-d500a063eda7', '01a218a4-d591-7000-af48-c1c479499b64', '01a218a4-d83a-7000-b606-e6e8065c729e', 'chat', 'tide-70b', 'done', 50000000000, 50000000000, 0, NULL, 'market:100000000:1000000000:4000000000', 1795709791127, 1795709791127, 1795709791806, 1795710391127, 10000000, 2, 10000000, 1, 0, 0, 11, 'sim-1', NULL, NULL, 0, 0, 0, NULL, NULL, 11, 5, 300, 'stored', 1798301791806, 30, 1),
('01a218a4-ecc2-7001-bec0-6ec99927f887', '01a218a4-d591-7000-af48-c1c479499b64', '01a218a4-d83a-7000-b606-e6e8065c729e', 'chat', 'tide-70b', 'done', 1000000000, 1000000000, 0, NULL, 'market:100000000:1000000000:4000000000', 1795709791426, 1795709791807, 1795709791929, 1795710391426, 10000000, 2, 10000000, 1, 0, 0, 12, 'sim-1', NULL, NULL, 0, 0, 0, NULL, NULL, 11, 5, 4, 'stored', 1798301791929, 30, 1),
('01a218a4-eeef-7000-b4ab-41873e332f5b', '01a218a4-d591-7000-af48-c1c479499b64', '01a218a4-d83a-7000-b606-e6e8065c729e', 'chat', 'harbor-8b', 'done', 36000000, NULL, 0, NULL, 'fixed:20000000:100000000:400000000', 1795709791983, 1795709791983, 1795709792208, 1795796191961, 36000000, 0, 36000000, 1, 0, 0, 7, 'sim-3', NULL, NULL, 0, 1, 0, 'batch_01a218a4eed9000fc169ac6b', '"line-1"', 11, 5, 4, 'stored', 1798301792208, 30, 1),
('01a218a4-eeef-7001-9fd9-904ae9922d4c', '01a218a4-d591-7000-af48-c1c479499b64', '01a218a4-d83a-7000-b606-e6e8065c729e', 'chat', 'harbor-8b', 'done', 36000000, NULL, 0, NULL, 'fixed:20000000:100000000:400000000', 1795709791983, 1795709791983, 1795709792209, 1795796191961, 36000000, 0, 36000000, 1, 0, 0, 8, 'sim-3', NULL, NULL, 0, 1, 0, 'batch_01a218a4eed9000fc169ac6b', '"line-2"', 11, 5, 4, 'stored', 1798301792209, 30, 1),
('01a218a5-0e43-7000-b0e5-e325d9eaf4b7', 'house', NULL, 'chat', 'tide-70b', 'done', 10000000, 10000000, 0, NULL, 'market:100000000:1000000000:4000000000', 1795709800003, 1795709800003, 1795709800256, 1795709810003, 10000000, 5, 10000000, 1, 0, 0, 13, 'sim-1', NULL, NULL, 0, 0, 1, NULL, NULL, 21, 10, 8, 'none', NULL, 0, 1),
('01a218a5-0e43-7001-a0dc-9422922c0c87', 'house', NULL, 'chat', 'harbor-8b', 'done', 36000000, NULL, 0, NULL, 'fixed:20000000:100000000:400000000', 1795709800003, 1795709800003, 1795709800328, 1795709810003, 36000000, 0, 36000000, 1, 0, 0, 9, 'sim-3', NULL, NULL, 0, 0, 1, NULL, NULL, 21, 10, 8, 'none', NULL, 0, 1);
CREATE TABLE probe_buckets(model VARCHAR(255)NOT NULL, bucket_ms BIGINT NOT NULL, total BIGINT NOT NULL, failures BIGINT NOT NULL, done BIGINT NOT NULL, ms_max BIGINT NOT NULL, queue_ms BIGINT NOT NULL, queue_ms_max BIGINT NOT NULL, pipeline_ms BIGINT NOT NULL, pipeline_ms_max BIGINT NOT NULL, PRIMARY KEY(model, bucket_ms))WITHOUT ROWID;
INSERT INTO probe_buckets (model, bucket_ms, total, failures, done, ms_max, queue_ms, queue_ms_max, pipeline_ms, pipeline_ms_max) VALUES
('harbor-8b', 1795709700000, 2, 0, 2, 359, 0, 0, 662, 359),
('tide-70b', 1795709700000, 2, 0, 2, 260, 1, 1, 508, 260);
CREATE TABLE quote_states(model VARCHAR(255)NOT NULL PRIMARY KEY, quote_seq BIGINT NOT NULL, price BIGINT NOT NULL, state TEXT NULL);
INSERT INTO quote_states (model, quote_seq, price, state) VALUES
('tide-70b', 3, 50844666623, '{"calibration":{"correction":0,"resolvedMean":0},"arrivals":{"atMs":1795709798161.2317,"bins":[[702,0.10993953071650657],[834,2.649152015428174]]},"pace":{"starts":{"sum":4.665065092623187,"atMs":1795709800002},"claims":{"sum":1.3663170513140699,"atMs":1795709798161.2317}}}');
CREATE TABLE quotes(model VARCHAR(255)NOT NULL, quote_seq BIGINT NOT NULL, price BIGINT NOT NULL, at_ms BIGINT NOT NULL, until_ms BIGINT NOT NULL, PRIMARY KEY(model, quote_seq))WITHOUT ROWID;
INSERT INTO quotes (model, quote_seq, price, at_ms, until_ms) VALUES
('tide-70b', 1, 10000000, 1795709788205, 1795709790000),
('tide-70b', 2, 10000000, 1795709790000, 1795709800000),
('tide-70b', 3, 50844666623, 1795709800000, 1795709810000);
CREATE TABLE request_logs(order_id VARCHAR(36)NOT NULL PRIMARY KEY, account_id VARCHAR(64)NOT NULL, body LONGTEXT NOT NULL, expires_at_ms BIGINT NOT NULL);
CREATE INDEX request_logs_by_expiry ON request_logs(expires_at_ms);
CREATE TABLE results(account_id VARCHAR(64)NOT NULL, finished_at_ms BIGINT NOT NULL, order_id VARCHAR(36)NOT NULL, bytes BIGINT NOT NULL, expires_at_ms BIGINT NOT NULL, PRIMARY KEY(account_id, finished_at_ms, order_id))WITHOUT ROWID;
CREATE INDEX results_by_expiry ON results(expires_at_ms);
INSERT INTO results (account_id, finished_at_ms, order_id, bytes, expires_at_ms) VALUES
('01a218a4-d591-7000-af48-c1c479499b64', 1795709788623, '01a218a4-e0fe-7000-ab03-f79fb8665737', 505, 1798301788623),
('01a218a4-d591-7000-af48-c1c479499b64', 1795709788851, '01a218a4-e1d9-7000-8fce-c5aefbda4960', 505, 1798301788851),
('01a218a4-d591-7000-af48-c1c479499b64', 1795709789072, '01a218a4-e2b8-7000-ab34-b41940ede9d1', 511, 1798301789072),
('01a218a4-d591-7000-af48-c1c479499b64', 1795709790902, '01a218a4-e9e6-7000-83aa-c15d44dcc51c', 511, 1798301790902),
('01a218a4-d591-7000-af48-c1c479499b64', 1795709791112, '01a218a4-eabb-7001-90ef-5d29df9b1662', 505, 1798301791112),
('01a218a4-d591-7000-af48-c1c479499b64', 1795709791112, '01a218a4-eabe-7001-8510-d109455e087d', 505, 1798301791112),
('01a218a4-d591-7000-af48-c1c479499b64', 1795709791806, '01a218a4-eb97-7000-87c2-d500a063eda7', 791, 1798301791806),
('01a218a4-d591-7000-af48-c1c479499b64', 1795709791807, '01a218a4-eb96-7000-b000-1c71faf982a9', 791, 1798301791807),
('01a218a4-d591-7000-af48-c1c479499b64', 1795709791929, '01a218a4-ecc2-7001-bec0-6ec99927f887', 461, 1798301791929),
('01a218a4-d591-7000-af48-c1c479499b64', 1795709792208, '01a218a4-eeef-7000-b4ab-41873e332f5b', 505, 1798301792208),
('01a218a4-d591-7000-af48-c1c479499b64', 1795709792209, '01a218a4-eeef-7001-9fd9-904ae9922d4c', 505, 1798301792209),
('01a218a4-d6e4-7000-b821-fc1259bfffbb', 1795709790354, '01a218a4-e7c5-7000-bdfb-0bec6455bd4c', 515, 1798301790354),
('01a218a4-d6e4-7000-b821-fc1259bfffbb', 1795709790679, '01a218a4-e909-7000-9b30-106a3b8edc8e', 510, 1798301790679);
CREATE TABLE stored_answers(order_id VARCHAR(36)NOT NULL PRIMARY KEY, body LONGTEXT NOT NULL);
INSERT INTO stored_answers (order_id, body) VALUES
('01a218a4-e0fe-7000-ab03-f79fb8665737', '{"version":1,"orderId":"01a218a4-e0fe-7000-ab03-f79fb8665737","kind":"chat","model":"harbor-8b","createdAtMs":1795709788414,"finishedAtMs":1795709788623,"generation":{"text":"This is a simulated ","reasoning":"","toolCalls":[],"parts":[{"type":"text","length":20}],"logprobs":null,"finishReason":"length","stopSequence":null},"reasoningTokens":0,"tariffId":"fixed:20000000:100000000:400000000","levelAtExecution":36000000,"bid":36000000,"chargedNano":"2700","tokens":{"uncached":11,"cached":0,"output":4}}'),
('01a218a4-e1d9-7000-8fce-c5aefbda4960', '{"version":1,"orderId":"01a218a4-e1d9-7000-8fce-c5aefbda4960","kind":"chat","model":"harbor-8b","createdAtMs":1795709788633,"finishedAtMs":1795709788851,"generation":{"text":"This is a simulated ","reasoning":"","toolCalls":[],"parts":[{"type":"text","length":20}],"logprobs":null,"finishReason":"length","stopSequence":null},"reasoningTokens":0,"tariffId":"fixed:20000000:100000000:400000000","levelAtExecution":36000000,"bid":36000000,"chargedNano":"2700","tokens":{"uncached":11,"cached":0,"output":4}}'),
('01a218a4-e2b8-7000-ab34-b41940ede9d1', '{"version":1,"orderId":"01a218a4-e2b8-7000-ab34-b41940ede9d1","kind":"chat","model":"tide-70b","createdAtMs":1795709788856,"finishedAtMs":1795709789072,"generation":{"text":"This is a simulated ","reasoning":"","toolCalls":[],"parts":[{"type":"text","length":20}],"logprobs":null,"finishReason":"length","stopSequence":null},"reasoningTokens":0,"tariffId":"market:100000000:1000000000:4000000000","levelAtExecution":10000000,"bid":50000000000,"chargedNano":"1000","tokens":{"uncached":11,"cached":0,"output":4}}'),
('01a218a4-e7c5-7000-bdfb-0bec6455bd4c', '{"version":1,"orderId":"01a218a4-e7c5-7000-bdfb-0bec6455bd4c","kind":"messages","model":"tide-70b","createdAtMs":1795709790149,"finishedAtMs":1795709790354,"generation":{"text":"This is a simulated ","reasoning":"","toolCalls":[],"parts":[{"type":"text","length":20}],"logprobs":null,"finishReason":"length","stopSequence":null},"reasoningTokens":0,"tariffId":"market:100000000:1000000000:4000000000","levelAtExecution":10000000,"bid":50000000000,"chargedNano":"1000","tokens":{"uncached":11,"cached":0,"output":4}}'),
('01a218a4-e909-7000-9b30-106a3b8edc8e', '{"version":1,"orderId":"01a218a4-e909-7000-9b30-106a3b8edc8e","kind":"responses","model":"harbor-8b","createdAtMs":1795709790473,"finishedAtMs":1795709790679,"generation":{"text":"This is a simulated ","reasoning":"","toolCalls":[],"parts":[{"type":"text","length":20}],"logprobs":null,"finishReason":"length","stopSequence":null},"reasoningTokens":0,"tariffId":"fixed:20000000:100000000:400000000","levelAtExecution":36000000,"bid":36000000,"chargedNano":"2700","tokens":{"uncached":11,"cached":0,"output":4}}'),
('01a218a4-e9e6-7000-83aa-c15d44dcc51c', '{"version":1,"orderId":"01a218a4-e9e6-7000-83aa-c15d44dcc51c","kind":"chat","model":"tide-70b","createdAtMs":1795709790694,"finishedAtMs":1795709790902,"generation":{"text":"This is a simulated ","reasoning":"","toolCalls":[],"parts":[{"type":"text","length":20}],"logprobs":null,"finishReason":"length","stopSequence":null},"reasoningTokens":0,"tariffId":"market:100000000:1000000000:4000000000","levelAtExecution":10000000,"bid":50000000000,"chargedNano":"1000","tokens":{"uncached":11,"cached":0,"output":4}}'),
('01a218a4-eabb-7001-90ef-5d29df9b1662', '{"version":1,"orderId":"01a218a4-eabb-7001-90ef-5d29df9b1662","kind":"chat","model":"harbor-8b","createdAtMs":1795709790907,"finishedAtMs":1795709791112,"generation":{"text":"This is a simulated ","reasoning":"","toolCalls":[],"parts":[{"type":"text","length":20}],"logprobs":null,"finishReason":"length","stopSequence":null},"reasoningTokens":0,"tariffId":"fixed:20000000:100000000:400000000","levelAtExecution":36000000,"bid":36000000,"chargedNano":"2700","tokens":{"uncached":11,"cached":0,"output":4}}'),
('01a218a4-eabe-7001-8510-d109455e087d', '{"version":1,"orderId":"01a218a4-eabe-7001-8510-d109455e087d","kind":"chat","model":"harbor-8b","createdAtMs":1795709790910,"finishedAtMs":1795709791112,"generation":{"text":"This is a simulated ","reasoning":"","toolCalls":[],"parts":[{"type":"text","length":20}],"logprobs":null,"finishReason":"length","stopSequence":null},"reasoningTokens":0,"tariffId":"fixed:20000000:100000000:400000000","levelAtExecution":36000000,"bid":36000000,"chargedNano":"2700","tokens":{"uncached":11,"cached":0,"output":4}}'),
('01a218a4-eb96-7000-b000-1c71faf982a9', '{"version":1,"orderId":"01a218a4-eb96-7000-b000-1c71faf982a9","kind":"chat","model":"tide-70b","createdAtMs":1795709791126,"finishedAtMs":1795709791807,"generation":{"text":"This is a simulated answer, no model ran: with turns lifts boat evening of a harbour the with harbour evening tide price in harbour every while evening bread turns with boat while little every the little wind a bread every price bread wind every a while while harbour falls of tide while bread falls.","reasoning":"","toolCalls":[],"parts":[{"type":"text","length":300}],"logprobs":null,"finishReason":"stop","stopSequence":null},"reasoningTokens":0,"tariffId":"market:100000000:1000000000:4000000000","levelAtExecution":10000000,"bid":50000000000,"chargedNano":"8407","tokens":{"uncached":11,"cached":0,"output":54}}'),
('01a218a4-eb97-7000-87c2-d500a063eda7', '{"version":1,"orderId":"01a218a4-eb97-7000-87c2-d500a063eda7","kind":"chat","model":"tide-70b","createdAtMs":1795709791127,"finishedAtMs":1795709791806,"generation":{"text":"This is a simulated answer, no model ran: with turns lifts boat evening of a harbour the with harbour evening tide price in harbour every while evening bread turns with boat while little every the little wind a bread every price bread wind every a while while harbour falls of tide while bread falls.","reasoning":"","toolCalls":[],"parts":[{"type":"text","length":300}],"logprobs":null,"finishReason":"stop","stopSequence":null},"reasoningTokens":0,"tariffId":"market:100000000:1000000000:4000000000","levelAtExecution":10000000,"bid":50000000000,"chargedNano":"8407","tokens":{"uncached":11,"cached":0,"output":54}}'),
('01a218a4-ecc2-7001-bec0-6ec99927f887', '{"version":1,"orderId":"01a218a4-ecc2-7001-bec0-6ec99927f887","kind":"chat","model":"tide-70b","createdAtMs":1795709791426,"finishedAtMs":1795709791929,"generation":{"text":"","reasoning":"","toolCalls":[],"parts":[],"logprobs":null,"finishReason":"stop","stopSequence":null},"reasoningTokens":null,"tariffId":"market:100000000:1000000000:4000000000","levelAtExecution":10000000,"bid":1000000000,"chargedNano":"52","tokens":{"uncached":1,"cached":4,"output":0}}'),
('01a218a4-eeef-7000-b4ab-41873e332f5b', '{"version":1,"orderId":"01a218a4-eeef-7000-b4ab-41873e332f5b","kind":"chat","model":"harbor-8b","createdAtMs":1795709791983,"finishedAtMs":1795709792208,"generation":{"text":"This is a simulated ","reasoning":"","toolCalls":[],"parts":[{"type":"text","length":20}],"logprobs":null,"finishReason":"length","stopSequence":null},"reasoningTokens":0,"tariffId":"fixed:20000000:100000000:400000000","levelAtExecution":36000000,"bid":36000000,"chargedNano":"2700","tokens":{"uncached":11,"cached":0,"output":4}}'),
('01a218a4-eeef-7001-9fd9-904ae9922d4c', '{"version":1,"orderId":"01a218a4-eeef-7001-9fd9-904ae9922d4c","kind":"chat","model":"harbor-8b","createdAtMs":1795709791983,"finishedAtMs":1795709792209,"generation":{"text":"This is a simulated ","reasoning":"","toolCalls":[],"parts":[{"type":"text","length":20}],"logprobs":null,"finishReason":"length","stopSequence":null},"reasoningTokens":0,"tariffId":"fixed:20000000:100000000:400000000","levelAtExecution":36000000,"bid":36000000,"chargedNano":"2700","tokens":{"uncached":11,"cached":0,"output":4}}');
CREATE TABLE usage_days(account_id VARCHAR(64)NOT NULL, day INT NOT NULL, model VARCHAR(255)NOT NULL, requests BIGINT NOT NULL, charged BIGINT NOT NULL, PRIMARY KEY(account_id, day, model))WITHOUT ROWID;
INSERT INTO usage_days (account_id, day, model, requests, charged) VALUES
('01a218a4-d591-7000-af48-c1c479499b64', 20783, 'harbor-8b', 6, 16200),
('01a218a4-d591-7000-af48-c1c479499b64', 20783, 'tide-70b', 5, 18866),
('01a218a4-d6e4-7000-b821-fc1259bfffbb', 20783, 'harbor-8b', 1, 2700),
('01a218a4-d6e4-7000-b821-fc1259bfffbb', 20783, 'tide-70b', 1, 1000),
('house', 20783, 'harbor-8b', 2, 10400),
('house', 20783, 'tide-70b', 2, 3852);
CREATE TABLE usage_records(order_id VARCHAR(36)NOT NULL, account_id VARCHAR(64)NOT NULL, model VARCHAR(255)NOT NULL, created_at_ms BIGINT NOT NULL, prompt_tokens BIGINT NOT NULL, cached_tokens BIGINT NOT NULL, output_tokens BIGINT NOT NULL, level_at_execution BIGINT NOT NULL, charged BIGINT NOT NULL, refunded BIGINT NOT NULL, written_off BIGINT NOT NULL, at_bid BIGINT NOT NULL, estimated SMALLINT NOT NULL, pricing VARCHAR(16)NOT NULL, PRIMARY KEY(account_id, created_at_ms, order_id), CONSTRAINT usage_money CHECK(charged >= 0 AND written_off >= 0 AND refunded >= 0 AND refunded <= charged))WITHOUT ROWID;
CREATE INDEX usage_by_model ON usage_records(account_id, model, created_at_ms, order_id);
CREATE UNIQUE INDEX usage_by_order ON usage_records(order_id);
INSERT INTO usage_records (order_id, account_id, model, created_at_ms, prompt_tokens, cached_tokens, output_tokens, level_at_execution, charged, refunded, written_off, at_bid, estimated, pricing) VALUES
('01a218a4-e0fe-7000-ab03-f79fb8665737', '01a218a4-d591-7000-af48-c1c479499b64', 'harbor-8b', 1795709788623, 11, 0, 4, 36000000, 2700, 0, 0, 2700, 0, 'fixed'),
('01a218a4-e1d9-7000-8fce-c5aefbda4960', '01a218a4-d591-7000-af48-c1c479499b64', 'harbor-8b', 1795709788851, 11, 0, 4, 36000000, 2700, 0, 0, 2700, 0, 'fixed'),
('01a218a4-e2b8-7000-ab34-b41940ede9d1', '01a218a4-d591-7000-af48-c1c479499b64', 'tide-70b', 1795709789072, 11, 0, 4, 10000000, 1000, 0, 0, 5000000, 0, 'market'),
('01a218a4-e732-7000-ac66-a5f9fa8d58cd', 'house', 'tide-70b', 1795709790249, 20, 0, 8, 10000000, 1926, 0, 0, 1926, 0, 'market'),
('01a218a4-e732-7001-863e-f224cb8a072f', 'house', 'harbor-8b', 1795709790304, 20, 0, 8, 36000000, 5200, 0, 0, 5200, 0, 'fixed'),
('01a218a4-e7c5-7000-bdfb-0bec6455bd4c', '01a218a4-d6e4-7000-b821-fc1259bfffbb', 'tide-70b', 1795709790354, 11, 0, 4, 10000000, 1000, 0, 0, 5000000, 0, 'market'),
('01a218a4-e909-7000-9b30-106a3b8edc8e', '01a218a4-d6e4-7000-b821-fc1259bfffbb', 'harbor-8b', 1795709790679, 11, 0, 4, 36000000, 2700, 0, 0, 2700, 0, 'fixed'),
('01a218a4-e9e6-7000-83aa-c15d44dcc51c', '01a218a4-d591-7000-af48-c1c479499b64', 'tide-70b', 1795709790902, 11, 0, 4, 10000000, 1000, 0, 0, 5000000, 0, 'market'),
('01a218a4-eabb-7001-90ef-5d29df9b1662', '01a218a4-d591-7000-af48-c1c479499b64', 'harbor-8b', 1795709791112, 11, 0, 4, 36000000, 2700, 0, 0, 2700, 0, 'fixed'),
('01a218a4-eabe-7001-8510-d109455e087d', '01a218a4-d591-7000-af48-c1c479499b64', 'harbor-8b', 1795709791112, 11, 0, 4, 36000000, 2700, 0, 0, 2700, 0, 'fixed'),
('01a218a4-eb96-7000-b000-1c71faf982a9', '01a218a4-d591-7000-af48-c1c479499b64', 'tide-70b', 1795709791807, 11, 0, 54, 10000000, 8407, 0, 0, 42037037, 0, 'market'),
('01a218a4-eb97-7000-87c2-d500a063eda7', '01a218a4-d591-7000-af48-c1c479499b64', 'tide-70b', 1795709791806, 11, 0, 54, 10000000, 8407, 0, 0, 42037037, 0, 'market'),
('01a218a4-ecc2-7001-bec0-6ec99927f887', '01a218a4-d591-7000-af48-c1c479499b64', 'tide-70b', 1795709791929, 5, 4, 0, 10000000, 52, 0, 0, 5185, 1, 'market'),
('01a218a4-eeef-7000-b4ab-41873e332f5b', '01a218a4-d591-7000-af48-c1c479499b64', 'harbor-8b', 1795709792208, 11, 0, 4, 36000000, 2700, 0, 0, 2700, 0, 'fixed'),
('01a218a4-eeef-7001-9fd9-904ae9922d4c', '01a218a4-d591-7000-af48-c1c479499b64', 'harbor-8b', 1795709792209, 11, 0, 4, 36000000, 2700, 0, 0, 2700, 0, 'fixed'),
('01a218a5-0e43-7000-b0e5-e325d9eaf4b7', 'house', 'tide-70b', 1795709800256, 20, 0, 8, 10000000, 1926, 0, 0, 1926, 0, 'market'),
('01a218a5-0e43-7001-a0dc-9422922c0c87', 'house', 'harbor-8b', 1795709800328, 20, 0, 8, 36000000, 5200, 0, 0, 5200, 0, 'fixed');
