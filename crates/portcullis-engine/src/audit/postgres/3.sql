-- How what waits is looked through, the worst first.

CREATE INDEX approval_worst ON approval ((CASE risk WHEN 'critical' THEN 0 WHEN 'unknown' THEN 1 WHEN 'high' THEN 2 WHEN 'medium' THEN 3
  WHEN 'low' THEN 4 ELSE 5 END), sequence) WHERE status = 'pending';
