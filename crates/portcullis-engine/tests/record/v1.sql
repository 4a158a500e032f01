-- What version 1 of the record writes. Every later version must read and verify it; this file never changes.
PRAGMA journal_mode = WAL;
CREATE TABLE record (
  sequence INTEGER PRIMARY KEY, v INTEGER NOT NULL, time TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL,
  kind TEXT NOT NULL, refers_to INTEGER, tool TEXT, class TEXT, risk TEXT, rules TEXT NOT NULL, decision TEXT, layer TEXT,
  reason TEXT, approver TEXT, outcome TEXT, action TEXT, preview TEXT, policy TEXT, session TEXT, agent TEXT, cwd TEXT
) STRICT;
CREATE TRIGGER record_is_never_changed BEFORE UPDATE ON record
  BEGIN SELECT RAISE(ABORT, 'a record is never changed'); END;
CREATE TRIGGER record_is_never_removed BEFORE DELETE ON record
  BEGIN SELECT RAISE(ABORT, 'a record is never removed'); END;
PRAGMA application_id = 1346587731;
PRAGMA user_version = 1;
INSERT INTO record (v, hash, sequence, time, kind, tool, class, risk, rules, decision, layer, reason, action, preview, policy, session, agent, cwd, previous) VALUES (1, 'e62cc4dd2874543ef88b2ccb15a5140be913fab48198b820a933341438a68df8', 1, '2026-01-02T03:04:05.000006Z', 'decision', 'bash', 'execute', 'high', 'fs.delete.recursive', 'allow', 'confirmation', 'r', 'sha256:00', 'rm -rf x', 'built-in 0.1.0', 's', 'a', '/w', '0000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO record (v, hash, sequence, time, kind, refers_to, rules, outcome, previous) VALUES (1, 'b4ecdb2127338efbfbf26a7c057dffc4b2410e2d5cd933c45591c45b14620212', 2, '2026-01-02T03:04:06.000000Z', 'outcome', 1, '', 'exit 0', 'e62cc4dd2874543ef88b2ccb15a5140be913fab48198b820a933341438a68df8');
