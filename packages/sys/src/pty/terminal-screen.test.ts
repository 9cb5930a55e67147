/** The screen of a terminal shows what a program drew, and no sequence of the program leaves it. */
import { describe, expect, test } from "bun:test";

import { needs } from "../../../../test/support/needs.ts";
import { limits } from "../limits.ts";
import { PtySession } from "./session.ts";
import { TerminalScreen } from "./terminal-screen.ts";

const size = { columns: 40, rows: 6 };
const underCursor = (cell: string): string => `<${cell}>`;

async function screenOf(output: string | Uint8Array, replies: string[] = []): Promise<TerminalScreen> {
	const screen = await TerminalScreen.open(size, (data) => void replies.push(data));
	screen.write(Buffer.from(output));
	await screen.settled();
	return screen;
}

describe("the drawn rows", () => {
	const cases: [what: string, output: string, rows: string[]][] = [
		["are text, with the cursor", "name? ", ["name? < >"]],
		["follow the cursor", "one\r\ntwo\x1b[1;2H", ["o<n>e", "two"]],
		["keep colors", "\x1b[1;31mred\x1b[0m ok", ["\x1b[1;31mred\x1b[0m ok< >"]],
		[
			"keep bright, indexed and true colors",
			"\x1b[92ma\x1b[48;5;200mb\x1b[38;2;1;2;3mc\x1b[m",
			["\x1b[92ma\x1b[0m\x1b[92;48;5;200mb\x1b[0m\x1b[38;2;1;2;3;48;5;200mc\x1b[0m< >"],
		],
		["hide a cursor that the program hides", "\x1b[?25lx", ["x"]],
		["hide concealed text", "\x1b[8msecret\x1b[m", ["      < >"]],
		[
			"leave out titles, targets of links, clipboard and images",
			"\x1b]0;t\x07\x1b]52;c;aGk=\x07a\x1bPq#0;2\x1b\\b\x1b]8;;http://x\x07c",
			["ab\x1b[4mc\x1b[0m< >"],
		],
		["keep the width of wide characters", "日本\x1b[1;3H", ["日<本>"]],
	];
	test.each(cases)("%s", async (_what, output, rows) => {
		using screen = await screenOf(output);
		expect(screen.draw(underCursor).rows).toEqual(rows);
	});
});

describe("the text", () => {
	test("has what scrolled away, and joins rows that were wrapped", async () => {
		const long = "x".repeat(100);
		using screen = await screenOf(`first\r\n${long}\r\n${"line\r\n".repeat(20)}last`);
		expect(screen.text()).toBe(`first\n${long}\n${"line\n".repeat(20)}last`);
	});

	test("of a full-screen program that was ended is its last screen", async () => {
		using screen = await screenOf("before\r\n\x1b[?1049h\x1b[2J\x1b[3;1Hinside");
		expect(screen.text()).toBe("before\n\n\ninside");
	});

	test("of a full-screen program that has left is what was there before", async () => {
		using screen = await screenOf("before\r\n\x1b[?1049hinside\x1b[?1049lafter");
		expect(screen.text()).toBe("before\nafter");
	});

	test("is unknown when lines were lost", async () => {
		using screen = await screenOf("line\r\n".repeat(limits.screenLines + 10));
		expect(screen.text()).toBeUndefined();
	});
});

test("a flood shows its end, also one that was cut in the middle of a sequence", async () => {
	using screen = await TerminalScreen.open(size, () => {});
	const part = Buffer.from(`\x1b]0;${"t".repeat(1000)}${"y\r\n".repeat(20_000)}`);
	for (let count = 0; count < 100; count++) screen.write(part);
	screen.write(Buffer.from("\x1b[2J\x1b[Hthe end"));
	await screen.settled();
	expect(screen.draw(underCursor).rows).toEqual(["the end< >"]);
	expect(screen.text()).toBeUndefined();
});

test("questions of the program are answered", async () => {
	const replies: string[] = [];
	using _screen = await screenOf("ab\x1b[6n", replies);
	expect(replies).toEqual(["\x1b[1;3R"]);
});

needs("less")("a real program draws, is resized, and reads keys", async () => {
	const pty = new PtySession();
	using screen = await TerminalScreen.open(size, (data) => pty.write(data));
	const seen = async (text: RegExp): Promise<void> => {
		const deadline = performance.now() + 60_000;
		while (!text.test(screen.text() ?? "")) {
			if (performance.now() > deadline) throw new Error(`never saw ${text}: ${screen.text()}`);
			await Bun.sleep(5);
		}
	};
	const ended = pty.start({
		command: "seq 100 | less -X",
		cwd: "/",
		env: { PATH: process.env.PATH ?? "", LESS: "" },
		timeoutMs: 60_000,
		signal: new AbortController().signal,
		onOutput: (chunk) => screen.write(chunk),
		...size,
	});
	await seen(/^1\n2\n3\n4\n5\n:/);
	pty.write("G");
	await seen(/96\n97\n98\n99\n100\n.*END/);
	screen.resize({ columns: 40, rows: 9 });
	pty.resize(40, 9);
	await seen(/100\n~\n~\n~\n/);
	pty.write("q");
	expect(await ended).toMatchObject({ exitCode: 0 });
});
