CREATE TABLE accounts(id VARCHAR(64)NOT NULL PRIMARY KEY, name VARCHAR(255)NOT NULL, status VARCHAR(16)NOT NULL, balance BIGINT NOT NULL, held BIGINT NOT NULL, price_limits TEXT NOT NULL, price_lock SMALLINT NOT NULL, order_timeout_s INT NOT NULL, retention_days INT NOT NULL, log_payloads SMALLINT NOT NULL, house SMALLINT NOT NULL, created_at_ms BIGINT NOT NULL, stored_bytes BIGINT NOT NULL DEFAULT 0, owed BIGINT NOT NULL DEFAULT 0, webhooks SMALLINT NOT NULL DEFAULT 0, CONSTRAINT accounts_money CHECK(balance >= 0 AND held >= 0 AND held <= balance))WITHOUT ROWID;
INSERT INTO accounts (id, name, status, balance, held, price_limits, price_lock, order_timeout_s, retention_days, log_payloads, house, created_at_ms, stored_bytes, owed, webhooks) VALUES
('01a218a5-655f-7000-a040-d1fa950c5c0f', 'Ben', 'active', 9999996300, 0, '{}', 0, 600, 30, 0, 0, 1795709822303, 1025, 0, 0),
('house', 'House', 'active', 0, 0, '{}', 0, 600, 0, 0, 1, 1795709824563, 0, 0, 0);
CREATE TABLE api_keys(id VARCHAR(64)NOT NULL PRIMARY KEY, account_id VARCHAR(64)NOT NULL, hash CHAR(64)NOT NULL, name VARCHAR(255)NOT NULL, hint VARCHAR(32)NOT NULL, price_limits TEXT NOT NULL, created_at_ms BIGINT NOT NULL, revoked_at_ms BIGINT NULL, budget BIGINT NULL, budget_reset VARCHAR(8)NOT NULL DEFAULT 'never', budget_from_ms BIGINT NOT NULL DEFAULT 0, budget_spent BIGINT NOT NULL DEFAULT 0, budget_held BIGINT NOT NULL DEFAULT 0, expires_at_ms BIGINT NULL, models TEXT NULL, previous_hash CHAR(64)NULL, previous_until_ms BIGINT NULL, budget_told_from_ms BIGINT NULL)WITHOUT ROWID;
CREATE INDEX api_keys_by_account ON api_keys(account_id, created_at_ms);
CREATE UNIQUE INDEX api_keys_by_hash ON api_keys(hash);
CREATE UNIQUE INDEX api_keys_by_previous_hash ON api_keys(previous_hash);
INSERT INTO api_keys (id, account_id, hash, name, hint, price_limits, created_at_ms, revoked_at_ms, budget, budget_reset, budget_from_ms, budget_spent, budget_held, expires_at_ms, models, previous_hash, previous_until_ms, budget_told_from_ms) VALUES
('01a218a5-699e-7000-a1e8-d47cb3ceec45', '01a218a5-655f-7000-a040-d1fa950c5c0f', '9cf7d402be52f416aecf1c7608223bd426f035c54be3f834bc5e76d9b46ff00c', 'key', 'sk-sluice-N6o2…RZaE', '{}', 1795709823389, NULL, NULL, 'never', 0, 0, 0, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE audit_acknowledgements(finding VARCHAR(16)NOT NULL PRIMARY KEY, sentence TEXT NOT NULL, reason TEXT NOT NULL, created_at_ms BIGINT NOT NULL, who VARCHAR(254)NULL);
CREATE TABLE audit_log(id VARCHAR(64)NOT NULL PRIMARY KEY, at_ms BIGINT NOT NULL, account_id VARCHAR(64)NULL, who VARCHAR(254)NOT NULL, what VARCHAR(64)NOT NULL, subject VARCHAR(255)NOT NULL, before_json TEXT NULL, after_json TEXT NULL);
CREATE INDEX audit_log_by_account ON audit_log(account_id, id);
CREATE TABLE audit_runs(id VARCHAR(64)NOT NULL PRIMARY KEY, who VARCHAR(254)NOT NULL, started_at_ms BIGINT NOT NULL, beat_at_ms BIGINT NOT NULL, ended_at_ms BIGINT NULL, result_json TEXT NULL);
CREATE TABLE balance_alerts(account_id VARCHAR(64)NOT NULL, below BIGINT NOT NULL, crossed_at_ms BIGINT NULL, PRIMARY KEY(account_id, below))WITHOUT ROWID;
CREATE TABLE batch_lines(batch_id VARCHAR(64)NOT NULL, line BIGINT NOT NULL, custom_id TEXT NOT NULL, order_id VARCHAR(36)NULL, status VARCHAR(16)NULL, error VARCHAR(64)NULL, error_message TEXT NULL, placed VARCHAR(8)NULL, PRIMARY KEY(batch_id, line))WITHOUT ROWID;
CREATE TABLE batches(id VARCHAR(64)NOT NULL PRIMARY KEY, account_id VARCHAR(64)NOT NULL, key_id VARCHAR(64)NULL, kind VARCHAR(16)NOT NULL, status VARCHAR(16)NOT NULL, input_file_id VARCHAR(64)NOT NULL, output_file_id VARCHAR(64)NOT NULL, error_file_id VARCHAR(64)NOT NULL, price_limit BIGINT NULL, price_limits TEXT NOT NULL, tariffs TEXT NOT NULL, retention_days INT NOT NULL, log_payloads SMALLINT NOT NULL, metadata TEXT NULL, errors TEXT NULL, created_at_ms BIGINT NOT NULL, expires_at_ms BIGINT NOT NULL, in_progress_at_ms BIGINT NULL, cancelling_at_ms BIGINT NULL, ended_at_ms BIGINT NULL, total BIGINT NULL, active BIGINT NOT NULL, completed BIGINT NOT NULL, failed BIGINT NOT NULL, expired BIGINT NOT NULL, canceled BIGINT NOT NULL, placed BIGINT NOT NULL, output_bytes BIGINT NOT NULL, error_bytes BIGINT NOT NULL, boot_epoch BIGINT NOT NULL DEFAULT 0, key_models TEXT NULL, key_budgeted SMALLINT NOT NULL DEFAULT 0, deadline_ms BIGINT NULL)WITHOUT ROWID;
CREATE INDEX batches_by_account ON batches(account_id, id);
CREATE INDEX batches_by_input ON batches(input_file_id);
CREATE INDEX batches_by_status ON batches(status, id);
CREATE TABLE beats(gateway VARCHAR(64)NOT NULL PRIMARY KEY, beat_at DATETIME(3)NOT NULL)WITHOUT ROWID;
CREATE TABLE counters(name VARCHAR(64)NOT NULL PRIMARY KEY, value BIGINT NOT NULL)WITHOUT ROWID;
INSERT INTO counters (name, value) VALUES
('boot', 1);
CREATE TABLE downloads(account_id VARCHAR(64)NOT NULL PRIMARY KEY, used_bytes BIGINT NOT NULL, at_ms BIGINT NOT NULL)WITHOUT ROWID;
CREATE TABLE entries(account_id VARCHAR(64)NOT NULL, unique_key VARCHAR(300)NOT NULL, id VARCHAR(64)NOT NULL, kind VARCHAR(16)NOT NULL, amount BIGINT NOT NULL, order_id VARCHAR(36)NULL, reason VARCHAR(1000)NULL, created_at_ms BIGINT NOT NULL, PRIMARY KEY(account_id, unique_key))WITHOUT ROWID;
INSERT INTO entries (account_id, unique_key, id, kind, amount, order_id, reason, created_at_ms) VALUES
('01a218a5-655f-7000-a040-d1fa950c5c0f', 'charge:01a218a5-7635-7000-bcf3-37913d7a5b8d', '01a218a5-7635-7000-bcf3-37913d7a5b8d', 'charge', -1000, '01a218a5-7635-7000-bcf3-37913d7a5b8d', NULL, 1795709826881),
('01a218a5-655f-7000-a040-d1fa950c5c0f', 'charge:01a218a5-7747-7000-a945-a97aef82368d', '01a218a5-7747-7000-a945-a97aef82368d', 'charge', -2700, '01a218a5-7747-7000-a945-a97aef82368d', NULL, 1795709827093),
('01a218a5-655f-7000-a040-d1fa950c5c0f', 'key:01a218a5-6564-7000-8889-c8ac471dd30f', '01a218a5-6564-7000-8889-c8ac471dd30f', 'top_up', 10000000000, NULL, 'first', 1795709822308),
('house', 'charge:01a218a5-8373-7000-8f10-541243a171f2', '01a218a5-8373-7000-8f10-541243a171f2', 'charge', -1926, '01a218a5-8373-7000-8f10-541243a171f2', NULL, 1795709830247),
('house', 'charge:01a218a5-8373-7001-bd7b-737637cef576', '01a218a5-8373-7001-bd7b-737637cef576', 'charge', -5200, '01a218a5-8373-7001-bd7b-737637cef576', NULL, 1795709830303),
('house', 'charge:01a218a5-aa96-7000-82ae-ebb2fc68c2ce', '01a218a5-aa96-7000-82ae-ebb2fc68c2ce', 'charge', -1926, '01a218a5-aa96-7000-82ae-ebb2fc68c2ce', NULL, 1795709840268),
('house', 'charge:01a218a5-aa96-7001-9aa7-d53a30542c42', '01a218a5-aa96-7001-9aa7-d53a30542c42', 'charge', -5200, '01a218a5-aa96-7001-9aa7-d53a30542c42', NULL, 1795709840372),
('house', 'house:01a218a5-8373-7000-8f10-541243a171f2', '01a218a5-8373-7000-8f10-541243a171f2', 'top_up', 1926, '01a218a5-8373-7000-8f10-541243a171f2', NULL, 1795709830247),
('house', 'house:01a218a5-8373-7001-bd7b-737637cef576', '01a218a5-8373-7001-bd7b-737637cef576', 'top_up', 5200, '01a218a5-8373-7001-bd7b-737637cef576', NULL, 1795709830303),
('house', 'house:01a218a5-aa96-7000-82ae-ebb2fc68c2ce', '01a218a5-aa96-7000-82ae-ebb2fc68c2ce', 'top_up', 1926, '01a218a5-aa96-7000-82ae-ebb2fc68c2ce', NULL, 1795709840268),
('house', 'house:01a218a5-aa96-7001-9aa7-d53a30542c42', '01a218a5-aa96-7001-9aa7-d53a30542c42', 'top_up', 5200, '01a218a5-aa96-7001-9aa7-d53a30542c42', NULL, 1795709840372);
CREATE TABLE files(id VARCHAR(40)NOT NULL PRIMARY KEY, account_id VARCHAR(64)NOT NULL, purpose VARCHAR(16)NOT NULL, filename VARCHAR(255)NOT NULL, bytes BIGINT NOT NULL, created_at_ms BIGINT NOT NULL, expires_at_ms BIGINT NOT NULL, content_gone SMALLINT NOT NULL)WITHOUT ROWID;
CREATE INDEX files_by_account ON files(account_id, id);
CREATE INDEX files_by_age ON files(account_id, content_gone, id);
CREATE INDEX files_by_expiry ON files(content_gone, expires_at_ms, id);
CREATE INDEX files_by_purpose ON files(account_id, purpose, id);
CREATE TABLE gateway_runs(boot BIGINT NOT NULL PRIMARY KEY, from_ms BIGINT NOT NULL, until_ms BIGINT NOT NULL, in_blocks SMALLINT NOT NULL DEFAULT 0)WITHOUT ROWID;
INSERT INTO gateway_runs (boot, from_ms, until_ms, in_blocks) VALUES
(1, 1795709824477, 1795709840798, 1);
CREATE TABLE held_invitations(id VARCHAR(64)NOT NULL PRIMARY KEY, email VARCHAR(254)NOT NULL, account_id VARCHAR(64)NOT NULL, role VARCHAR(16)NOT NULL, created_at_ms BIGINT NOT NULL);
CREATE UNIQUE INDEX held_invitations_by_account ON held_invitations(account_id, email);
CREATE TABLE idempotency_keys(account_id VARCHAR(64)NOT NULL, endpoint VARCHAR(32)NOT NULL, idempotency_key VARCHAR(255)NOT NULL, order_id VARCHAR(36)NOT NULL, fingerprint VARCHAR(128)NOT NULL, created_at_ms BIGINT NOT NULL, expires_at_ms BIGINT NOT NULL, PRIMARY KEY(account_id, endpoint, idempotency_key))WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys(expires_at_ms);
CREATE INDEX idempotency_keys_by_order ON idempotency_keys(order_id);
CREATE TABLE leases(name VARCHAR(128)NOT NULL PRIMARY KEY, epoch BIGINT NOT NULL, holder VARCHAR(64)NULL, process VARCHAR(512)NULL, address VARCHAR(255)NULL, connection_id BIGINT NULL, protocol INTEGER NULL, listing_hash VARCHAR(64)NULL)WITHOUT ROWID;
CREATE TABLE level_blocks(model VARCHAR(255)NOT NULL, width_ms INT NOT NULL, from_ms BIGINT NOT NULL, boot BIGINT NOT NULL, slots BLOB NOT NULL, PRIMARY KEY(model, width_ms, from_ms, boot));
INSERT INTO level_blocks (model, width_ms, from_ms, boot, slots) VALUES
('tide-70b', 1000, 1795709820000, 1, X'000401bb00000000009896800000000000989680000000000098968000000000009896800000000000989680000503e800000000009896800000000000989680000000000098968000000000009896800000000000989680000603e800000000009896800000000000989680000000000098968000000000009896800000000000989680000703e800000000009896800000000000989680000000000098968000000000009896800000000000989680000803e800000000009896800000000000989680000000000098968000000000009896800000000000989680000903e800000000009896800000000000989680000000000098968000000000009896800000000000989680000a03e800000000009896800000000000989680000000000098968000000000009896800000000000989680000b03e800000000009896800000000000989680000000000098968000000000009896800000000000989680000c03e800000000009896800000000000989680000000000098968000000000009896800000000000989680000d03e800000000009896800000000000989680000000000098968000000000009896800000000000989680000e03e800000000009896800000000000989680000000000098968000000000009896800000000000989680000f03e800000000009896800000000000989680000000000098968000000000009896800000000000989680001003e800000000009896800000000000989680000000000098968000000000009896800000000000989680001103e800000000009896800000000000989680000000000098968000000000009896800000000000989680001203e800000000009896800000000000989680000000000098968000000000009896800000000000989680001303e8000000000098968000000000009896800000000000989680000000000098968000000000009896800014031e00000000009896800000000000989680000000000098968000000000009896800000000000989680'),
('tide-70b', 15000, 1795709700000, 1, X'000828cb00000000009896800000000000989680000000000098968000000000009896800000000000989680000916a600000000009896800000000000989680000000000098968000000000009896800000000000989680'),
('tide-70b', 60000, 1795708800000, 1, X'00113f7100000000009896800000000000989680000000000098968000000000009896800000000000989680');
CREATE TABLE levels(model VARCHAR(255)NOT NULL, level_seq BIGINT NOT NULL, level BIGINT NOT NULL, at_ms BIGINT NOT NULL, hash VARCHAR(43)NULL, PRIMARY KEY(model, level_seq))WITHOUT ROWID;
CREATE INDEX levels_by_time ON levels(model, at_ms);
INSERT INTO levels (model, level_seq, level, at_ms, hash) VALUES
('tide-70b', 1, 10000000, 1795709824557, 'ddq1MSNBIXwoH-1sgu0DBS0DAjonwTriSEYgzWDycmw'),
('tide-70b', 2, 10000000, 1795709824581, 'q57R82UgeApEDimg4-rwmu8zfoYLJSjF99ZI-SemsgA');
CREATE TABLE lock_minutes(model VARCHAR(255)NOT NULL, minute_ms BIGINT NOT NULL, started BIGINT NOT NULL, missed BIGINT NOT NULL, scarce_started BIGINT NOT NULL DEFAULT 0, scarce_missed BIGINT NOT NULL DEFAULT 0, PRIMARY KEY(model, minute_ms))WITHOUT ROWID;
CREATE TABLE markets(model VARCHAR(255)NOT NULL PRIMARY KEY, level_seq BIGINT NOT NULL, level BIGINT NOT NULL, at_ms BIGINT NOT NULL)WITHOUT ROWID;
INSERT INTO markets (model, level_seq, level, at_ms) VALUES
('tide-70b', 2, 10000000, 1795709824581);
CREATE TABLE member_identities(member_id VARCHAR(64)NOT NULL PRIMARY KEY, subject_hash VARCHAR(64)NOT NULL)WITHOUT ROWID;
CREATE TABLE member_links(member_id VARCHAR(64)NOT NULL PRIMARY KEY, hash VARCHAR(64)NOT NULL, expires_at_ms BIGINT NOT NULL)WITHOUT ROWID;
CREATE UNIQUE INDEX member_links_by_hash ON member_links(hash);
CREATE TABLE member_passkeys(id VARCHAR(64)NOT NULL PRIMARY KEY, member_id VARCHAR(64)NOT NULL, credential_hash VARCHAR(64)NOT NULL, credential_id TEXT NOT NULL, public_key TEXT NOT NULL, counter BIGINT NOT NULL, host VARCHAR(255)NOT NULL, name VARCHAR(100)NOT NULL, created_at_ms BIGINT NOT NULL, used_at_ms BIGINT NULL);
CREATE UNIQUE INDEX member_passkeys_by_credential ON member_passkeys(credential_hash);
CREATE INDEX member_passkeys_by_member ON member_passkeys(member_id, id);
CREATE TABLE member_sessions(id VARCHAR(64)NOT NULL PRIMARY KEY, hash VARCHAR(64)NOT NULL, member_id VARCHAR(64)NOT NULL, method VARCHAR(16)NOT NULL, address VARCHAR(64)NOT NULL, agent VARCHAR(255)NOT NULL, opened_at_ms BIGINT NOT NULL, seen_at_ms BIGINT NOT NULL)WITHOUT ROWID;
CREATE UNIQUE INDEX member_sessions_by_hash ON member_sessions(hash);
CREATE INDEX member_sessions_by_member ON member_sessions(member_id, opened_at_ms);
CREATE TABLE members(id VARCHAR(64)NOT NULL PRIMARY KEY, email VARCHAR(254)NOT NULL, account_id VARCHAR(64)NULL, role VARCHAR(16)NOT NULL, password_hash VARCHAR(255)NULL, created_at_ms BIGINT NOT NULL);
CREATE INDEX members_by_account ON members(account_id, email);
CREATE UNIQUE INDEX members_by_email ON members(email);
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
('0016_batch_indexes'),
('0017_acknowledgements'),
('0018_quote_state_size'),
('0019_scarce_locks'),
('0020_leases'),
('0021_cluster'),
('0022_key_budgets'),
('0023_members'),
('0024_run_hours'),
('0025_payments'),
('0029_audit_runs'),
('0030_held_invitations'),
('0031_request_logs_by_account'),
('0032_sign_in'),
('0033_transfers'),
('0034_transfers_by_time'),
('0035_top_ups'),
('0037_identities'),
('0037_probe_days'),
('0040_balance_alerts'),
('0054_signing_keys'),
('0055_price_chains'),
('0056_webhooks'),
('0057_max_charge'),
('0058_deadlines'),
('0059_batch_deadlines');
CREATE TABLE model_tokens(model VARCHAR(255)NOT NULL, bucket_ms BIGINT NOT NULL, uncached_tokens BIGINT NOT NULL, cached_tokens BIGINT NOT NULL, output_tokens BIGINT NOT NULL, requests BIGINT NOT NULL, earned BIGINT NOT NULL, PRIMARY KEY(model, bucket_ms))WITHOUT ROWID;
INSERT INTO model_tokens (model, bucket_ms, uncached_tokens, cached_tokens, output_tokens, requests, earned) VALUES
('harbor-8b', 1795709700000, 11, 0, 4, 1, 2700),
('tide-70b', 1795709700000, 11, 0, 4, 1, 1000);
CREATE TABLE order_bodies(order_id VARCHAR(36)NOT NULL PRIMARY KEY, body LONGTEXT NOT NULL);
CREATE TABLE order_days(account_id VARCHAR(64)NOT NULL, day INT NOT NULL, model VARCHAR(255)NOT NULL, kind VARCHAR(16)NOT NULL, status VARCHAR(16)NOT NULL, in_batch SMALLINT NOT NULL, market SMALLINT NOT NULL, orders BIGINT NOT NULL, charged BIGINT NOT NULL, at_bid_usd BIGINT NOT NULL, at_bid_nano BIGINT NOT NULL, PRIMARY KEY(account_id, day, model, kind, status, in_batch, market))WITHOUT ROWID;
INSERT INTO order_days (account_id, day, model, kind, status, in_batch, market, orders, charged, at_bid_usd, at_bid_nano) VALUES
('01a218a5-655f-7000-a040-d1fa950c5c0f', 20783, 'harbor-8b', 'responses', 'done', 0, 0, 1, 2700, 0, 2700),
('01a218a5-655f-7000-a040-d1fa950c5c0f', 20783, 'tide-70b', 'messages', 'done', 0, 1, 1, 1000, 0, 5000000),
('house', 20783, 'harbor-8b', 'chat', 'done', 0, 0, 2, 10400, 0, 10400),
('house', 20783, 'tide-70b', 'chat', 'done', 0, 1, 2, 3852, 0, 3852);
CREATE TABLE order_hours(account_id VARCHAR(64)NOT NULL, hour INT NOT NULL, model VARCHAR(255)NOT NULL, kind VARCHAR(16)NOT NULL, status VARCHAR(16)NOT NULL, in_batch SMALLINT NOT NULL, market SMALLINT NOT NULL, orders BIGINT NOT NULL, charged BIGINT NOT NULL, at_bid_usd BIGINT NOT NULL, at_bid_nano BIGINT NOT NULL, PRIMARY KEY(account_id, hour, model, kind, status, in_batch, market))WITHOUT ROWID;
INSERT INTO order_hours (account_id, hour, model, kind, status, in_batch, market, orders, charged, at_bid_usd, at_bid_nano) VALUES
('01a218a5-655f-7000-a040-d1fa950c5c0f', 498808, 'harbor-8b', 'responses', 'done', 0, 0, 1, 2700, 0, 2700),
('01a218a5-655f-7000-a040-d1fa950c5c0f', 498808, 'tide-70b', 'messages', 'done', 0, 1, 1, 1000, 0, 5000000),
('house', 498808, 'harbor-8b', 'chat', 'done', 0, 0, 2, 10400, 0, 10400),
('house', 498808, 'tide-70b', 'chat', 'done', 0, 1, 2, 3852, 0, 3852);
CREATE TABLE orders(id VARCHAR(36)NOT NULL PRIMARY KEY, account_id VARCHAR(64)NOT NULL, key_id VARCHAR(64)NULL, kind VARCHAR(16)NOT NULL, model VARCHAR(255)NOT NULL, status VARCHAR(16)NOT NULL, bid BIGINT NOT NULL, price_limit BIGINT NULL, price_lock SMALLINT NOT NULL, quote_at_submission BIGINT NULL, tariff_id VARCHAR(128)NOT NULL, created_at_ms BIGINT NOT NULL, admitted_at_ms BIGINT NULL, finished_at_ms BIGINT NULL, expires_at_ms BIGINT NOT NULL, level_at_execution BIGINT NULL, level_seq BIGINT NULL, price_cap BIGINT NULL, attempt INT NOT NULL, failures INT NOT NULL, hold BIGINT NOT NULL, rested_seq BIGINT NULL, pod VARCHAR(255)NULL, error VARCHAR(64)NULL, error_message TEXT NULL, detached SMALLINT NOT NULL, outlives SMALLINT NOT NULL, house SMALLINT NOT NULL, batch_id VARCHAR(64)NULL, custom_id TEXT NULL, prompt_bound BIGINT NOT NULL, prompt_estimate BIGINT NOT NULL, output_cap BIGINT NOT NULL, result_state VARCHAR(16)NOT NULL, result_expires_at_ms BIGINT NULL, retention_days INT NOT NULL, boot_epoch BIGINT NOT NULL, quote_seq BIGINT NULL, budget_from_ms BIGINT NULL, max_charge BIGINT NULL, deadline_ms BIGINT NULL)WITHOUT ROWID;
CREATE INDEX orders_by_account ON orders(account_id, created_at_ms, id, batch_id);
CREATE INDEX orders_by_batch ON orders(batch_id, created_at_ms)WHERE batch_id IS NOT NULL;
CREATE INDEX orders_ended ON orders(account_id, model, kind, status, created_at_ms, id, batch_id)WHERE status NOT IN('queued', 'executing');
CREATE INDEX orders_live ON orders(account_id, created_at_ms)WHERE status IN('queued', 'executing');
INSERT INTO orders (id, account_id, key_id, kind, model, status, bid, price_limit, price_lock, quote_at_submission, tariff_id, created_at_ms, admitted_at_ms, finished_at_ms, expires_at_ms, level_at_execution, level_seq, price_cap, attempt, failures, hold, rested_seq, pod, error, error_message, detached, outlives, house, batch_id, custom_id, prompt_bound, prompt_estimate, output_cap, result_state, result_expires_at_ms, retention_days, boot_epoch, quote_seq, budget_from_ms, max_charge, deadline_ms) VALUES
('01a218a5-7635-7000-bcf3-37913d7a5b8d', '01a218a5-655f-7000-a040-d1fa950c5c0f', '01a218a5-699e-7000-a1e8-d47cb3ceec45', 'messages', 'tide-70b', 'done', 50000000000, 50000000000, 0, NULL, 'market:100000000:1000000000:4000000000', 1795709826613, 1795709826613, 1795709826881, 1795710426613, 10000000, 2, 10000000, 1, 0, 0, 7, 'sim-1', NULL, NULL, 0, 0, 0, NULL, NULL, 11, 5, 4, 'stored', 1798301826881, 30, 1, NULL, NULL, NULL, NULL),
('01a218a5-7747-7000-a945-a97aef82368d', '01a218a5-655f-7000-a040-d1fa950c5c0f', '01a218a5-699e-7000-a1e8-d47cb3ceec45', 'responses', 'harbor-8b', 'done', 36000000, NULL, 0, NULL, 'fixed:20000000:100000000:400000000', 1795709826887, 1795709826888, 1795709827093, 1795710426887, 36000000, 0, 36000000, 1, 0, 0, 3, 'sim-3', NULL, NULL, 0, 0, 0, NULL, NULL, 11, 5, 4, 'stored', 1798301827093, 30, 1, NULL, NULL, NULL, NULL),
('01a218a5-8373-7000-8f10-541243a171f2', 'house', NULL, 'chat', 'tide-70b', 'done', 10000000, 10000000, 0, NULL, 'market:100000000:1000000000:4000000000', 1795709830003, 1795709830004, 1795709830247, 1795709840003, 10000000, 2, 10000000, 1, 0, 0, 12, 'sim-1', NULL, NULL, 0, 0, 1, NULL, NULL, 21, 10, 8, 'none', NULL, 0, 1, NULL, NULL, NULL, NULL),
('01a218a5-8373-7001-bd7b-737637cef576', 'house', NULL, 'chat', 'harbor-8b', 'done', 36000000, NULL, 0, NULL, 'fixed:20000000:100000000:400000000', 1795709830003, 1795709830004, 1795709830303, 1795709840003, 36000000, 0, 36000000, 1, 0, 0, 8, 'sim-3', NULL, NULL, 0, 0, 1, NULL, NULL, 21, 10, 8, 'none', NULL, 0, 1, NULL, NULL, NULL, NULL),
('01a218a5-aa96-7000-82ae-ebb2fc68c2ce', 'house', NULL, 'chat', 'tide-70b', 'done', 10000000, 10000000, 0, NULL, 'market:100000000:1000000000:4000000000', 1795709840022, 1795709840024, 1795709840268, 1795709850022, 10000000, 2, 10000000, 1, 0, 0, 13, 'sim-1', NULL, NULL, 0, 0, 1, NULL, NULL, 21, 10, 8, 'none', NULL, 0, 1, NULL, NULL, NULL, NULL),
('01a218a5-aa96-7001-9aa7-d53a30542c42', 'house', NULL, 'chat', 'harbor-8b', 'done', 36000000, NULL, 0, NULL, 'fixed:20000000:100000000:400000000', 1795709840022, 1795709840024, 1795709840372, 1795709850022, 36000000, 0, 36000000, 1, 0, 0, 9, 'sim-3', NULL, NULL, 0, 0, 1, NULL, NULL, 21, 10, 8, 'none', NULL, 0, 1, NULL, NULL, NULL, NULL);
CREATE TABLE payment_events(event_id VARCHAR(255)NOT NULL PRIMARY KEY, type VARCHAR(64)NOT NULL, subject VARCHAR(255)NOT NULL, outcome VARCHAR(16)NOT NULL, reason VARCHAR(1000)NULL, created_at_ms BIGINT NOT NULL)WITHOUT ROWID;
CREATE INDEX payment_events_by_outcome ON payment_events(outcome, created_at_ms);
CREATE TABLE payment_reversals(id VARCHAR(255)NOT NULL PRIMARY KEY, intent VARCHAR(255)NOT NULL, account_id VARCHAR(64)NULL, kind VARCHAR(16)NOT NULL, state VARCHAR(16)NOT NULL, amount BIGINT NOT NULL, entered BIGINT NOT NULL, owed BIGINT NOT NULL, created_at_ms BIGINT NOT NULL, CONSTRAINT reversals_money CHECK(amount > 0 AND entered >= 0 AND owed >= 0 AND entered + owed <= amount))WITHOUT ROWID;
CREATE INDEX payment_reversals_by_account ON payment_reversals(account_id);
CREATE INDEX payment_reversals_by_intent ON payment_reversals(intent);
CREATE INDEX payment_reversals_by_owed ON payment_reversals(owed);
CREATE TABLE payments(id VARCHAR(64)NOT NULL PRIMARY KEY, account_id VARCHAR(64)NOT NULL, provider VARCHAR(16)NOT NULL, status VARCHAR(16)NOT NULL, amount BIGINT NOT NULL, session_id VARCHAR(255)NULL, intent VARCHAR(255)NULL, credited_by VARCHAR(255)NULL, created_at_ms BIGINT NOT NULL, paid_at_ms BIGINT NULL, automatic SMALLINT NOT NULL DEFAULT 0, CONSTRAINT payments_amount CHECK(amount > 0))WITHOUT ROWID;
CREATE INDEX payments_by_account ON payments(account_id, created_at_ms);
CREATE INDEX payments_by_intent ON payments(intent);
CREATE TABLE probe_buckets(model VARCHAR(255)NOT NULL, bucket_ms BIGINT NOT NULL, total BIGINT NOT NULL, failures BIGINT NOT NULL, done BIGINT NOT NULL, ms_max BIGINT NOT NULL, queue_ms BIGINT NOT NULL, queue_ms_max BIGINT NOT NULL, pipeline_ms BIGINT NOT NULL, pipeline_ms_max BIGINT NOT NULL, PRIMARY KEY(model, bucket_ms))WITHOUT ROWID;
INSERT INTO probe_buckets (model, bucket_ms, total, failures, done, ms_max, queue_ms, queue_ms_max, pipeline_ms, pipeline_ms_max) VALUES
('harbor-8b', 1795709700000, 2, 0, 2, 354, 3, 2, 652, 352),
('tide-70b', 1795709700000, 2, 0, 2, 347, 3, 2, 590, 345);
CREATE TABLE probe_days(model VARCHAR(255)NOT NULL, bucket_ms BIGINT NOT NULL, total BIGINT NOT NULL, failures BIGINT NOT NULL, done BIGINT NOT NULL, ms_max BIGINT NOT NULL, queue_ms BIGINT NOT NULL, queue_ms_max BIGINT NOT NULL, pipeline_ms BIGINT NOT NULL, pipeline_ms_max BIGINT NOT NULL, PRIMARY KEY(model, bucket_ms))WITHOUT ROWID;
INSERT INTO probe_days (model, bucket_ms, total, failures, done, ms_max, queue_ms, queue_ms_max, pipeline_ms, pipeline_ms_max) VALUES
('harbor-8b', 1795651200000, 2, 0, 2, 354, 3, 2, 652, 352),
('tide-70b', 1795651200000, 2, 0, 2, 347, 3, 2, 590, 345);
CREATE TABLE quote_states(model VARCHAR(255)NOT NULL PRIMARY KEY, quote_seq BIGINT NOT NULL, price BIGINT NOT NULL, state TEXT NULL);
INSERT INTO quote_states (model, quote_seq, price, state) VALUES
('tide-70b', 3, 10000000, '{"calibration":{"correction":0,"resolvedMean":0},"arrivals":[{"atMs":1795709839981.7993,"bins":[[702,0.043157],[834,0.613958]]},{"atMs":1795709839981.7993,"bins":[[702,0.016199],[834,0.204638]]}],"pace":{"sum":0.320715,"atMs":1795709840000},"turnover":{"heldMs":3262.09998,"ended":3.263974},"past":{"last":0,"lows":[]},"claims":[["01a218a5-655f-7000-a040-d1fa950c5c0f",0.8134],["01a218a5-631d-7000-80a7-3509256fddf3",0.187514]],"voices":{"atMs":1795709830000,"all":[0.811542,0],"accounts":[["01a218a5-655f-7000-a040-d1fa950c5c0f",0.066208,0],["01a218a5-631d-7000-80a7-3509256fddf3",0.745334,0]]}}');
CREATE TABLE quotes(model VARCHAR(255)NOT NULL, quote_seq BIGINT NOT NULL, price BIGINT NOT NULL, at_ms BIGINT NOT NULL, until_ms BIGINT NOT NULL, hash VARCHAR(43)NULL, PRIMARY KEY(model, quote_seq))WITHOUT ROWID;
INSERT INTO quotes (model, quote_seq, price, at_ms, until_ms, hash) VALUES
('tide-70b', 1, 10000000, 1795709824557, 1795709830000, '7Kc2zMU3eGPijodysIZOofVi9Zheje7u4DKGu6j0Ao8'),
('tide-70b', 2, 50844666623, 1795709830000, 1795709840000, 'l7SKeCSlBrbdARBAA5bfr9QZrJUkQK2SrWd5SuXnWPA'),
('tide-70b', 3, 10000000, 1795709840000, 1795709850000, 'kUt_WL-2qeI2r_w6tQtHAD-M3t2j-_ptMHX5tHcJ3Bo');
CREATE TABLE request_logs(order_id VARCHAR(36)NOT NULL PRIMARY KEY, account_id VARCHAR(64)NOT NULL, body LONGTEXT NOT NULL, expires_at_ms BIGINT NOT NULL);
CREATE INDEX request_logs_by_account ON request_logs(account_id);
CREATE INDEX request_logs_by_expiry ON request_logs(expires_at_ms);
CREATE TABLE results(account_id VARCHAR(64)NOT NULL, finished_at_ms BIGINT NOT NULL, order_id VARCHAR(36)NOT NULL, bytes BIGINT NOT NULL, expires_at_ms BIGINT NOT NULL, PRIMARY KEY(account_id, finished_at_ms, order_id))WITHOUT ROWID;
CREATE INDEX results_by_expiry ON results(expires_at_ms);
INSERT INTO results (account_id, finished_at_ms, order_id, bytes, expires_at_ms) VALUES
('01a218a5-655f-7000-a040-d1fa950c5c0f', 1795709826881, '01a218a5-7635-7000-bcf3-37913d7a5b8d', 515, 1798301826881),
('01a218a5-655f-7000-a040-d1fa950c5c0f', 1795709827093, '01a218a5-7747-7000-a945-a97aef82368d', 510, 1798301827093);
CREATE TABLE run_hours(model VARCHAR(255)NOT NULL, bucket_ms BIGINT NOT NULL, boot BIGINT NOT NULL, counts BLOB NOT NULL, PRIMARY KEY(model, bucket_ms, boot))WITHOUT ROWID;
INSERT INTO run_hours (model, bucket_ms, boot, counts) VALUES
('harbor-8b', 1795708800000, 1, X'002b00000007018200000002018300000005'),
('tide-70b', 1795708800000, 1, X'002700000002002d0000000901240000000203c50000000703c60000000303f900000001');
CREATE TABLE sign_in_attempts(hash VARCHAR(64)NOT NULL PRIMARY KEY, expected TEXT NOT NULL, expires_at_ms BIGINT NOT NULL);
CREATE INDEX sign_in_attempts_by_end ON sign_in_attempts(expires_at_ms);
CREATE TABLE signing_keys(number BIGINT NOT NULL PRIMARY KEY, kid VARCHAR(64)NOT NULL, public_key VARCHAR(64)NOT NULL, private_key TEXT NULL, created_at_ms BIGINT NOT NULL)WITHOUT ROWID;
CREATE UNIQUE INDEX signing_keys_by_kid ON signing_keys(kid);
CREATE TABLE stored_answers(order_id VARCHAR(36)NOT NULL PRIMARY KEY, body LONGTEXT NOT NULL);
INSERT INTO stored_answers (order_id, body) VALUES
('01a218a5-7635-7000-bcf3-37913d7a5b8d', '{"version":1,"orderId":"01a218a5-7635-7000-bcf3-37913d7a5b8d","kind":"messages","model":"tide-70b","createdAtMs":1795709826613,"finishedAtMs":1795709826881,"generation":{"text":"This is a simulated ","reasoning":"","toolCalls":[],"parts":[{"type":"text","length":20}],"logprobs":null,"finishReason":"length","stopSequence":null},"reasoningTokens":0,"tariffId":"market:100000000:1000000000:4000000000","levelAtExecution":10000000,"bid":50000000000,"chargedNano":"1000","tokens":{"uncached":11,"cached":0,"output":4}}'),
('01a218a5-7747-7000-a945-a97aef82368d', '{"version":1,"orderId":"01a218a5-7747-7000-a945-a97aef82368d","kind":"responses","model":"harbor-8b","createdAtMs":1795709826887,"finishedAtMs":1795709827093,"generation":{"text":"This is a simulated ","reasoning":"","toolCalls":[],"parts":[{"type":"text","length":20}],"logprobs":null,"finishReason":"length","stopSequence":null},"reasoningTokens":0,"tariffId":"fixed:20000000:100000000:400000000","levelAtExecution":36000000,"bid":36000000,"chargedNano":"2700","tokens":{"uncached":11,"cached":0,"output":4}}');
CREATE TABLE top_ups(account_id VARCHAR(64)NOT NULL PRIMARY KEY, enabled SMALLINT NOT NULL, threshold BIGINT NOT NULL, amount BIGINT NOT NULL, per_day_max INT NOT NULL, month_max BIGINT NOT NULL, customer VARCHAR(255)NULL, method VARCHAR(255)NULL, card_from_ms BIGINT NOT NULL DEFAULT 0, payment_id VARCHAR(64)NULL, accepted SMALLINT NOT NULL DEFAULT 0, failures INT NOT NULL DEFAULT 0, next_at_ms BIGINT NOT NULL DEFAULT 0, off_reason VARCHAR(255)NULL, off_at_ms BIGINT NULL);
CREATE INDEX top_ups_by_enabled ON top_ups(enabled, account_id);
CREATE TABLE transfers(account_id VARCHAR(64)NOT NULL, created_at_ms BIGINT NOT NULL, id VARCHAR(64)NOT NULL, unique_key VARCHAR(300)NOT NULL, charged_day INT NULL, PRIMARY KEY(account_id, created_at_ms, id))WITHOUT ROWID;
CREATE INDEX transfers_by_charge ON transfers(account_id, charged_day);
CREATE INDEX transfers_by_time ON transfers(created_at_ms, id);
INSERT INTO transfers (account_id, created_at_ms, id, unique_key, charged_day) VALUES
('01a218a5-655f-7000-a040-d1fa950c5c0f', 1795709822308, '01a218a5-6564-7000-8889-c8ac471dd30f', 'key:01a218a5-6564-7000-8889-c8ac471dd30f', NULL);
CREATE TABLE usage_days(account_id VARCHAR(64)NOT NULL, day INT NOT NULL, model VARCHAR(255)NOT NULL, key_id VARCHAR(64)NOT NULL, requests BIGINT NOT NULL, charged BIGINT NOT NULL, PRIMARY KEY(account_id, day, model, key_id))WITHOUT ROWID;
INSERT INTO usage_days (account_id, day, model, key_id, requests, charged) VALUES
('01a218a5-655f-7000-a040-d1fa950c5c0f', 20783, 'harbor-8b', '01a218a5-699e-7000-a1e8-d47cb3ceec45', 1, 2700),
('01a218a5-655f-7000-a040-d1fa950c5c0f', 20783, 'tide-70b', '01a218a5-699e-7000-a1e8-d47cb3ceec45', 1, 1000),
('house', 20783, 'harbor-8b', '', 2, 10400),
('house', 20783, 'tide-70b', '', 2, 3852);
CREATE TABLE usage_records(order_id VARCHAR(36)NOT NULL, account_id VARCHAR(64)NOT NULL, model VARCHAR(255)NOT NULL, created_at_ms BIGINT NOT NULL, prompt_tokens BIGINT NOT NULL, cached_tokens BIGINT NOT NULL, output_tokens BIGINT NOT NULL, level_at_execution BIGINT NOT NULL, charged BIGINT NOT NULL, refunded BIGINT NOT NULL, written_off BIGINT NOT NULL, at_bid BIGINT NOT NULL, estimated SMALLINT NOT NULL, pricing VARCHAR(16)NOT NULL, PRIMARY KEY(account_id, created_at_ms, order_id), CONSTRAINT usage_money CHECK(charged >= 0 AND written_off >= 0 AND refunded >= 0 AND refunded <= charged))WITHOUT ROWID;
CREATE INDEX usage_by_model ON usage_records(account_id, model, created_at_ms, order_id);
CREATE UNIQUE INDEX usage_by_order ON usage_records(order_id);
INSERT INTO usage_records (order_id, account_id, model, created_at_ms, prompt_tokens, cached_tokens, output_tokens, level_at_execution, charged, refunded, written_off, at_bid, estimated, pricing) VALUES
('01a218a5-7635-7000-bcf3-37913d7a5b8d', '01a218a5-655f-7000-a040-d1fa950c5c0f', 'tide-70b', 1795709826881, 11, 0, 4, 10000000, 1000, 0, 0, 5000000, 0, 'market'),
('01a218a5-7747-7000-a945-a97aef82368d', '01a218a5-655f-7000-a040-d1fa950c5c0f', 'harbor-8b', 1795709827093, 11, 0, 4, 36000000, 2700, 0, 0, 2700, 0, 'fixed'),
('01a218a5-8373-7000-8f10-541243a171f2', 'house', 'tide-70b', 1795709830247, 20, 0, 8, 10000000, 1926, 0, 0, 1926, 0, 'market'),
('01a218a5-8373-7001-bd7b-737637cef576', 'house', 'harbor-8b', 1795709830303, 20, 0, 8, 36000000, 5200, 0, 0, 5200, 0, 'fixed'),
('01a218a5-aa96-7000-82ae-ebb2fc68c2ce', 'house', 'tide-70b', 1795709840268, 20, 0, 8, 10000000, 1926, 0, 0, 1926, 0, 'market'),
('01a218a5-aa96-7001-9aa7-d53a30542c42', 'house', 'harbor-8b', 1795709840372, 20, 0, 8, 36000000, 5200, 0, 0, 5200, 0, 'fixed');
CREATE TABLE webhook_endpoints(id VARCHAR(64)NOT NULL PRIMARY KEY, account_id VARCHAR(64)NOT NULL, url VARCHAR(2048)NOT NULL, description VARCHAR(255)NOT NULL, events VARCHAR(512)NOT NULL, all_orders SMALLINT NOT NULL, secret VARCHAR(64)NOT NULL, previous_secret VARCHAR(64)NULL, previous_until_ms BIGINT NULL, enabled SMALLINT NOT NULL, disabled_reason VARCHAR(255)NULL, disabled_at_ms BIGINT NULL, created_at_ms BIGINT NOT NULL);
CREATE INDEX webhook_endpoints_by_account ON webhook_endpoints(account_id);
CREATE TABLE webhook_messages(seq INTEGER PRIMARY KEY AUTOINCREMENT, endpoint_id VARCHAR(64)NOT NULL, event_id VARCHAR(160)NOT NULL, type VARCHAR(32)NOT NULL, object_id VARCHAR(255)NOT NULL, body TEXT NOT NULL, created_at_ms BIGINT NOT NULL, attempts INT NOT NULL DEFAULT 0, first_at_ms BIGINT NULL, next_at_ms BIGINT NULL, last_at_ms BIGINT NULL, last_status INT NULL, last_error VARCHAR(255)NULL, delivered_at_ms BIGINT NULL);
CREATE INDEX webhook_messages_by_endpoint ON webhook_messages(endpoint_id, seq);
CREATE INDEX webhook_messages_by_object ON webhook_messages(endpoint_id, object_id, next_at_ms)WHERE next_at_ms IS NOT NULL;
CREATE INDEX webhook_messages_due ON webhook_messages(endpoint_id, next_at_ms)WHERE next_at_ms IS NOT NULL;
CREATE TABLE webhook_pods(pod VARCHAR(255)NOT NULL PRIMARY KEY, up SMALLINT NOT NULL)WITHOUT ROWID;
CREATE TABLE webhook_prices(endpoint_id VARCHAR(64)NOT NULL, model VARCHAR(255)NOT NULL, price BIGINT NOT NULL, above SMALLINT NULL, PRIMARY KEY(endpoint_id, model, price))WITHOUT ROWID;
