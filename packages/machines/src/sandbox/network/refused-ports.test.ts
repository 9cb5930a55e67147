/** The port that a client could not connect to is found in what it prints, or in its command. */
import { expect, test } from "bun:test";

import { refusedPorts } from "./refused-ports.ts";

const cases: [command: string, output: string, ...ports: number[]][] = [
	[
		"curl http://x",
		"curl: (7) Failed to connect to 127.0.0.1 port 8898 after 0 ms: Couldn't connect to server",
		8898,
	],
	["curl -s localhost:8898/a", "", 8898],
	["curl -s http://127.0.0.1:8898/ | jq .", "", 8898],
	[
		"psql -h 127.0.0.1",
		'psql: error: connection to server at "127.0.0.1", port 5432 failed: Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?',
		5432,
	],
	["pg_isready -h localhost", "localhost:5432 - no response", 5432],
	["redis-cli ping", "Could not connect to Redis at 127.0.0.1:6379: Connection refused", 6379],
	["node app.js", "Error: connect ECONNREFUSED 127.0.0.1:5432\n    at TCPConnectWrap", 5432],
	["node app.js", "Error: connect ECONNREFUSED ::1:27017", 27017],
	["mysql -h 127.0.0.1", "ERROR 2003 (HY000): Can't connect to MySQL server on '127.0.0.1:3306' (111)", 3306],
	["mysql -h 127.0.0.1", "ERROR 2003 (HY000): Can't connect to MySQL server on '127.0.0.1' (111)", 3306],
	[
		"mysql -h 127.0.0.1 -P 3307",
		"ERROR 2003 (HY000): Can't connect to MySQL server on '127.0.0.1' (111)",
		3307,
	],
	[
		"python3 -c \"socket.create_connection(('localhost', 9200))\"",
		"ConnectionRefusedError: [Errno 111] Connection refused",
		9200,
	],
	[
		"postgres://me@localhost:5433/db\npython3 app.py",
		"ConnectionRefusedError: [Errno 111] Connection refused",
		5433,
	],
	["exec 3<>/dev/tcp/127.0.0.1/8080", "bash: connect: Connection refused", 8080],
	["go run .", "dial tcp 127.0.0.1:4222: connect: connection refused", 4222],
	["go run .", "dial tcp [::1]:4222: connect: connection refused", 4222],
	[
		"cargo run",
		'Os { code: 111, kind: ConnectionRefused, message: "Connection refused" } 127.0.0.1:7700',
		7700,
	],
	// Neither a client nor a refusal.
	["grep -rn localhost:5432 .", "config.yml:1:url: localhost:5432"],
	["echo DATABASE_URL=postgres://localhost:5432/x >> .env", ""],
	// Another machine.
	["curl http://db.example:5432", "curl: (7) Failed to connect to db.example port 5432: Connection refused"],
	["curl https://example.org", ""],
];
test.each(cases)("%s: %s", (command, output, ...ports) => {
	expect(refusedPorts({ command, output, mayBeSilent: true })).toEqual(ports);
});

test("a thousand ports are four", () => {
	const output = Array.from({ length: 1000 }, (_, n) => `ECONNREFUSED 127.0.0.1:${1000 + n}`).join("\n");
	expect(refusedPorts({ command: "scan", output, mayBeSilent: true })).toHaveLength(4);
});
