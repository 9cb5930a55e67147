/** The prompt is built from files, pipes and arguments; what cannot be sent is reported by name. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, relative } from "node:path";

import { UsageError } from "@tau/utils";
import { attachedIn } from "@tau/session-commands/shared/attachments";
import { readPrompts } from "./prompt.ts";

/** An image of one pixel. */
const dot =
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const mostBytes = 16 * 1024 * 1024;

let cwd = "";
beforeAll(() => {
	cwd = mkdtempSync(join(tmpdir(), "tau-prompt-"));
	mkdirSync(join(cwd, "folder"));
	writeFileSync(join(cwd, "a.ts"), "const a = 1;\n");
	writeFileSync(join(cwd, "empty"), "");
	writeFileSync(join(cwd, "umlaut.txt"), "grün 😀");
	writeFileSync(join(cwd, "data.bin"), new Uint8Array([1, 0, 2]));
	writeFileSync(join(cwd, "Shot.PNG"), Buffer.from(dot, "base64"));
	writeFileSync(join(cwd, "fake.png"), "not an image");
	writeFileSync(join(cwd, "ten.txt"), Array.from({ length: 10 }, (_, at) => `line ${at + 1}`).join("\n"));
	writeFileSync(join(cwd, "folder/.hidden"), "");
	mkdirSync(join(cwd, "folder/deeper"));
	symlinkSync(join(cwd, "gone"), join(cwd, "dangling"));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

async function read(files: string[], messages: string[], piped?: string | Uint8Array<ArrayBuffer>) {
	const [prompt, ...more] = await readAll(files, messages, piped);
	expect(more).toEqual([]);
	return prompt;
}

function readAll(files: string[], messages: string[], piped?: string | Uint8Array<ArrayBuffer>) {
	const flags = new Map([["print", ""] as const]);
	return readPrompts({ files, messages, flags }, cwd, piped === undefined ? undefined : new Blob([piped]));
}

const aFile = '<file name="a.ts">\nconst a = 1;\n\n</file>';

const stdin = (text: string): string => `<file name="stdin">\n${text}\n</file>`;

const good: [
	promise: string,
	files: string[],
	messages: string[],
	piped: string | undefined,
	text: string,
][] = [
	["piped input comes before the arguments", [], ["why?"], "log line\n", `${stdin("log line")}\n\nwhy?`],
	["piped input is a prompt by itself", [], [], "do it\n", "do it"],
	["an empty pipe adds nothing", [], ["hi"], "", "hi"],
	[
		"a file comes first, with its name",
		["a.ts"],
		["explain"],
		"piped",
		`${aFile}\n\n${stdin("piped")}\n\nexplain`,
	],
	["a file needs no text", ["a.ts"], [], undefined, aFile],
	["an empty file is sent as one", ["empty"], ["hm"], undefined, '<file name="empty">\n\n</file>\n\nhm'],
	[
		"text of any script arrives whole",
		["umlaut.txt"],
		[],
		undefined,
		'<file name="umlaut.txt">\ngrün 😀\n</file>',
	],
	["leading blanks of a pipe are part of it", [], [], "  indented\n\n", "  indented"],
];

test.each(good)("%s", async (_, files, messages, piped, text) => {
	const [message = ""] = messages;
	// Files and pipes come first as material: only the user's text may call something by name.
	const written = [...files.map((file) => `@${file}`), message].filter(Boolean).join(" ");
	expect(await read(files, messages, piped)).toEqual({
		text,
		...(message === "" || message === text ? {} : { userText: message }),
		...(files.length > 0 ? { invocation: written } : {}),
	});
});

test("several prompts are separate turns; files and pipes belong to the first", async () => {
	expect(await readAll(["a.ts"], ["explain", " ", "now fix it"])).toEqual([
		{ text: `${aFile}\n\nexplain`, userText: "explain", invocation: "@a.ts explain" },
		{ text: "now fix it" },
	]);
});

/** A plain bitmap, which is the image that is easiest to write. */
function bitmap(width: number, height: number): Buffer {
	const bytes = Buffer.alloc(54 + Math.ceil((width * 3) / 4) * 4 * height, 0x40);
	bytes.write("BM");
	bytes.writeUInt32LE(54, 10);
	bytes.writeUInt32LE(40, 14);
	bytes.writeInt32LE(width, 18);
	bytes.writeInt32LE(height, 22);
	bytes.writeUInt16LE(1, 26);
	bytes.writeUInt16LE(24, 28);
	bytes.writeUInt32LE(0, 30);
	return bytes;
}

describe("an image", () => {
	const sizeOf = async (data: string | undefined) => {
		const { width, height, format } = await new Bun.Image(Buffer.from(data ?? "", "base64")).metadata();
		return { width, height, format };
	};

	test("is sent as an image, whatever the case of its name", async () => {
		const images = [{ type: "image" as const, mimeType: "image/png", data: dot }];
		expect(await read(["Shot.PNG"], ["what is it"])).toEqual({ text: "what is it", images });
		expect(await read(["Shot.PNG"], [])).toEqual({ text: "", images });
	});

	test("that is too large for models is scaled down", async () => {
		writeFileSync(join(cwd, "huge.png"), await new Bun.Image(bitmap(5000, 4000)).png().bytes());
		const prompt = await read(["huge.png"], ["look"]);
		expect(await sizeOf(prompt?.images?.[0]?.data)).toEqual({ width: 2000, height: 1600, format: "png" });
	});

	test("of a type that models reject is converted, by its content and not by its name", async () => {
		for (const name of ["shot.bmp", "shot.dat"]) {
			writeFileSync(join(cwd, name), bitmap(6, 3));
			const prompt = await read([name], ["look"]);
			expect(prompt?.images?.[0]?.mimeType).toBe("image/png");
			expect(await sizeOf(prompt?.images?.[0]?.data)).toEqual({ width: 6, height: 3, format: "png" });
		}
	});

	test("by name only, or a broken one, is rejected with the reason", async () => {
		writeFileSync(join(cwd, "random.png"), "these bytes are no image");
		writeFileSync(join(cwd, "tiny.gif"), "GIF89a");
		await expect(read(["random.png"], ["look"])).rejects.toThrow(
			"@random.png: This is not a PNG, JPEG, GIF, WebP or BMP image. Convert it to one of these.",
		);
		await expect(read(["tiny.gif"], ["look"])).rejects.toThrow(
			"@tiny.gif: The header of this GIF image is broken.",
		);
	});
});

test("a file may be given relative to the home directory", async () => {
	const path = `~/${relative(homedir(), join(cwd, "a.ts"))}`;
	expect(await read([path], [])).toMatchObject({ text: aFile.replace("a.ts", path) });
});

test("a name as macOS writes it is found by what a user types, unless two look the same", async () => {
	const shots = mkdtempSync(join(cwd, "mac-"));
	for (const name of ["it\u2019s.txt", "Shot 1\u202fPM.txt", "u\u0308ber.txt", "a\u2018.txt", "a\u2019.txt"])
		writeFileSync(join(shots, name), `this is ${name}`);
	for (const typed of ["it's.txt", "Shot 1 PM.txt", "\u00fcber.txt"])
		expect((await read([join(shots, typed)], ["x"]))?.text).toContain("this is ");
	expect(read([join(shots, "a'.txt")], ["x"])).rejects.toThrow(UsageError);
});

test("some lines of a file, in either notation, and the names in a directory", async () => {
	const some = '<file name="ten.txt" lines="9-10">\nline 9\nline 10\n</file>';
	expect(await read(["ten.txt:9-40"], [])).toMatchObject({ text: some });
	expect(await read(["ten.txt#L9-L10"], [])).toMatchObject({ text: some });
	expect(await read(["ten.txt:3"], [])).toMatchObject({
		text: '<file name="ten.txt" lines="3-3">\nline 3\n</file>',
	});
	expect(await read(["folder/"], [])).toMatchObject({
		text: '<directory name="folder/">\n.hidden\ndeeper/\n</directory>',
	});
});

test("a pipe of the shell can be sent like a file", async () => {
	const child = Bun.spawn(
		["bash", "-c", 'exec "$0" -e "$1" "$2" <(echo from a pipe)', process.execPath, script(), cwd],
		{
			stdout: "pipe",
			timeout: 60_000,
		},
	);
	expect(await child.stdout.text()).toContain("\nfrom a pipe\n");
});

function script(): string {
	const module = JSON.stringify(join(import.meta.dir, "prompt.ts"));
	return `const [cwd, path] = process.argv.slice(-2);
		const { readPrompts } = await import(${module});
		process.stdout.write((await readPrompts({ files: [path], messages: [], flags: new Map() }, cwd))[0].text);`;
}

describe("there is no prompt", () => {
	const nothing: [what: string, messages: string[], piped: string | undefined][] = [
		["without anything", [], undefined],
		["with an empty pipe", [], ""],
		["with blanks only", [" ", "\t"], " \n\n"],
	];
	test.each(nothing)("%s", async (_, messages, piped) => {
		expect(await read([], messages, piped)).toBeUndefined();
	});
});

describe("what cannot be sent is reported", () => {
	const bad: [what: string, path: string, message: RegExp][] = [
		["a missing file", "nowhere.txt", /^@nowhere\.txt: file not found\.$/],
		["a link to nothing", "dangling", /^@dangling: file not found\.$/],
		["a file below a file", "a.ts/b", /^@a\.ts\/b: cannot read it: /],
		[
			"lines that the file does not have",
			"ten.txt:11-12",
			/^@ten\.txt:11-12: the last line of the file is 10\.$/,
		],
		["an image that is none", "fake.png", /^@fake\.png: This is not a PNG/],
		["a binary file", "data.bin", /^@data\.bin is binary\. Only text and images can be sent\.$/],
		["a device without an end", "/dev/zero", /^@\/dev\/zero is neither a file nor a pipe\.$/],
	];
	test.each(bad)("%s", async (_, path, message) => {
		expect(await refusal([path])).toMatch(message);
	});

	test("a pipe with binary data", async () => {
		expect(await refusal([], new Uint8Array([0x7f, 0x45, 0]))).toMatch(/^Standard input is binary/);
	});

	test("more than a model could accept, from a pipe or a file", async () => {
		const much = new Uint8Array(mostBytes + 1).fill(0x61);
		expect(await refusal([], much)).toBe(`Standard input is larger than ${mostBytes} bytes.`);
		writeFileSync(join(cwd, "much"), much);
		expect(await refusal(["much"])).toBe(`@much is larger than ${mostBytes} bytes.`);
	});

	async function refusal(files: string[], piped?: Uint8Array<ArrayBuffer>): Promise<string> {
		const error: unknown = await read(files, ["hi"], piped).catch((reason: unknown) => reason);
		if (!(error instanceof UsageError)) throw new Error("nothing was refused");
		return error.message;
	}
});

test("without -p the arguments of the command line are one prompt, and with it if they are single words", async () => {
	const flags = new Map();
	const prompts = await readPrompts({ files: [], messages: ["fix", "the tests"], flags }, cwd, undefined);
	expect(prompts).toEqual([{ text: "fix the tests" }]);
	const words = { files: [], messages: ["fix", "the", "tests"], flags: new Map([["print", ""] as const]) };
	expect(await readPrompts(words, cwd, undefined)).toEqual([{ text: "fix the tests" }]);
});

test("a name with a quote and a line break stays one name, for the model and for the view", async () => {
	const name = 'a "b"\nc&.txt';
	writeFileSync(join(cwd, name), "text\n");
	const prompt = await read([name], ["see"]);
	expect(prompt?.text).toStartWith('<file name="a &quot;b&quot;&#10;c&amp;.txt">\ntext');
	expect(attachedIn(prompt?.text ?? "")).toEqual([{ name, kind: "file", count: 1 }]);
});
