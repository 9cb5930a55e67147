import { expect, test } from "bun:test";

import { localPath } from "./addresses.ts";

test("paths are files, with the line that people write behind them", () => {
	const meant: Record<string, [string, number?]> = {
		"src/lexer.ts": ["src/lexer.ts"],
		"lexer.ts:12": ["lexer.ts", 12],
		"./src/lexer.ts:12:3": ["./src/lexer.ts", 12],
		"src/lexer.ts#L40-L52": ["src/lexer.ts", 40],
		"/home/ada/a%20b.md#usage": ["/home/ada/a b.md"],
		"file:///tmp/100%.txt": ["/tmp/100%.txt"],
	};
	for (const [address, [path, line]] of Object.entries(meant))
		expect([address, localPath(address)]).toEqual([address, { path, line }]);
});

test("what leads elsewhere or runs is no file", () => {
	const code = ["java", "script"].join("");
	for (const address of [
		"https://example.com/a.ts:12",
		"mailto:a@example.com",
		`${code}:alert(1)`,
		`${code.toUpperCase()}:void(0)`,
		"data:text/html,x",
		"blob:x",
		"vscode://file/a",
		"//evil.example/a.png",
		"#/s/other",
		"",
	])
		expect([address, localPath(address)]).toEqual([address, undefined]);
});
