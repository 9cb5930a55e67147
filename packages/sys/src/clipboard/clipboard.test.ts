import { describe, expect, test } from "bun:test";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { limits } from "../limits.ts";
import {
	copyText,
	osc52Copy,
	readClipboardImage,
	readClipboardText,
	type ClipboardOptions,
} from "./index.ts";

interface Fixture extends AsyncDisposable {
	/** Options of a session in which only these programs are installed. */
	options(env: Record<string, string>, platform?: NodeJS.Platform): ClipboardOptions;
	install(name: string, script: string): Promise<void>;
	put(name: string, content: Uint8Array | string): Promise<void>;
	read(name: string): Promise<string>;
}

/** A folder of clipboard programs that are real scripts; they store their input in files beside them. */
async function fixture(): Promise<Fixture> {
	const path = await mkdtemp(join(tmpdir(), "tau-clipboard-"));
	return {
		options: (env, platform = "linux") => ({ env: { ...env, PATH: path, DESK: path }, platform }),
		async install(name, script) {
			await Bun.write(join(path, name), `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`);
			await chmod(join(path, name), 0o755);
		},
		put: async (name, content) => void (await Bun.write(join(path, name), content)),
		read: (name) => Bun.file(join(path, name)).text(),
		[Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
	};
}

const png = await new Bun.Image(
	Buffer.concat([
		Buffer.from("424d3a0000000000000036000000280000000100000001000000010018000000000004000000", "hex"),
		Buffer.alloc(20),
	]),
)
	.png()
	.bytes();

const wayland = { WAYLAND_DISPLAY: "wayland-0" };
const x11 = { DISPLAY: ":0" };

describe("OSC 52", () => {
	test("carries the text in UTF-8 and base64", () => {
		expect(osc52Copy("héllo 👍", {})).toBe(`\x1b]52;c;${Buffer.from("héllo 👍").toString("base64")}\x07`);
		expect(osc52Copy("", {})).toBe("\x1b]52;c;\x07");
	});

	test("is not sent for more text than terminals accept", () => {
		expect(osc52Copy("x".repeat(limits.osc52Chars), {})).toBeUndefined();
	});

	test("is wrapped in chunks for GNU screen", () => {
		const wrapped = osc52Copy("x".repeat(600), { STY: "1.pts" }) ?? "";
		const pieces = [...wrapped.matchAll(/\x1bP([\s\S]*?)\x1b\\/g)].map(([, piece = ""]) => piece);
		expect(pieces.length).toBeGreaterThan(1);
		expect(pieces.join("")).toBe(osc52Copy("x".repeat(600), {}) ?? "");
	});
});

describe("text", () => {
	test("is copied by a program that gets no key: it stays, and its environment can be read", async () => {
		await using at = await fixture();
		await at.install("xclip", 'env > "$DESK/environment"');
		await copyText("x", at.options({ ...x11, GROQ_API_KEY: "gsk-0123", OTHER: "kept" }));
		const seen = await at.read("environment");
		expect(seen).toContain("OTHER=kept");
		expect(seen).not.toContain("gsk-0123");
	});

	test.each([
		["wl-copy", wayland, "linux"],
		["xclip", x11, "linux"],
		["xsel", x11, "linux"],
		["pbcopy", {}, "darwin"],
		["termux-clipboard-set", { TERMUX_VERSION: "1" }, "linux"],
	] as const)("is copied by %s on that desktop", async (name, env, platform) => {
		await using at = await fixture();
		await at.install(name, 'cat > "$DESK/copied"');
		const result = await copyText("héllo\n👍", at.options(env, platform));
		expect(result).toEqual({ ok: true, program: name });
		expect(await at.read("copied")).toBe("héllo\n👍");
	});

	test("is copied to Windows from WSL as UTF-16", async () => {
		await using at = await fixture();
		await at.install("clip.exe", 'od -An -tx1 | tr -d " \\n" > "$DESK/copied"');
		expect(await copyText("é", at.options({ WSL_DISTRO_NAME: "Debian" }))).toMatchObject({ ok: true });
		expect(await at.read("copied")).toBe("fffee900");
	});

	test.each([
		["wl-copy", "wl-paste", wayland],
		["xclip", "xclip", x11],
		["xsel", "xsel", x11],
	] as const)("is read by the counterpart of %s", async (name, reader, env) => {
		await using at = await fixture();
		await at.install(name, "exit 9");
		await at.install(reader, "printf 'one\\r\\ntwo'");
		expect(await readClipboardText(at.options(env))).toEqual({ ok: true, text: "one\ntwo" });
	});

	test("is copied by the next program when the first fails", async () => {
		await using at = await fixture();
		await at.install("wl-copy", "exit 1");
		await at.install("xclip", 'cat > "$DESK/copied"');
		expect(await copyText("x", at.options({ ...wayland, ...x11 }))).toEqual({ ok: true, program: "xclip" });
	});

	test("is copied although the program stays in the background to serve it", async () => {
		await using at = await fixture();
		await at.install("wl-copy", 'cat > "$DESK/copied"; sleep 30 & echo $! > "$DESK/pid"');
		expect(await copyText("x", at.options(wayland))).toMatchObject({ ok: true });
		process.kill(Number(await at.read("pid")));
	});
});

describe("images", () => {
	const wlPaste = 'case "$*" in *--list-types*) cat "$DESK/types";; *) cat "$DESK/image";; esac';

	test("are read in their own format, the best type first", async () => {
		await using at = await fixture();
		await at.install("wl-copy", "exit 0");
		await at.install("wl-paste", wlPaste);
		await at.put("types", "text/plain\nimage/bmp\nimage/png\n");
		await at.put("image", png);
		const result = await readClipboardImage(at.options(wayland));
		expect(result).toMatchObject({ ok: true, mimeType: "image/png" });
		expect(result.ok ? Buffer.from(result.bytes).equals(png) : false).toBe(true);
	});

	test("are read by xclip", async () => {
		await using at = await fixture();
		await at.install("xclip", 'case "$*" in *TARGETS*) echo image/png;; *) cat "$DESK/image";; esac');
		await at.put("image", png);
		expect(await readClipboardImage(at.options(x11))).toMatchObject({ ok: true, mimeType: "image/png" });
	});

	test("are read from Windows in WSL", async () => {
		await using at = await fixture();
		await at.install("clip.exe", "exit 0");
		await at.install("powershell.exe", 'base64 "$DESK/image"');
		await at.put("image", png);
		expect(await readClipboardImage(at.options({ WSL_INTEROP: "1" }))).toMatchObject({ ok: true });
	});

	test("are absent when the clipboard holds only text, nothing, or other data under that type", async () => {
		await using at = await fixture();
		await at.install("wl-copy", "exit 0");
		await at.install("wl-paste", wlPaste);
		await at.put("types", "text/plain\n");
		expect(await readClipboardImage(at.options(wayland))).toMatchObject({ ok: false, problem: "empty" });
		await at.install("wl-paste", "echo 'Nothing is copied' >&2; exit 1");
		expect(await readClipboardImage(at.options(wayland))).toMatchObject({ ok: false, problem: "empty" });
		await at.install("wl-paste", "echo image/png");
		expect(await readClipboardImage(at.options(wayland))).toMatchObject({ ok: false, problem: "empty" });
	});
});

describe("no clipboard", () => {
	test.each([
		[wayland, "linux", "wl-clipboard"],
		[x11, "linux", "xclip"],
		[{}, "linux", "OSC 52"],
		[{ TERMUX_VERSION: "1" }, "linux", "Termux:API"],
	] as const)("in %j reports what would help", async (env, platform, help) => {
		await using at = await fixture();
		for (const result of [
			await copyText("x", at.options(env, platform)),
			await readClipboardText(at.options(env, platform)),
			await readClipboardImage(at.options(env, platform)),
		]) {
			expect(result).toMatchObject({ ok: false, problem: "unavailable" });
			expect(result.ok ? "" : result.message).toContain(help);
		}
	});

	test("that does not respond times out", async () => {
		await using at = await fixture();
		await at.install("wl-copy", "exec sleep 30");
		await at.install("wl-paste", "exec sleep 30");
		const options = { ...at.options(wayland), timeoutMs: 100 };
		const copied = await copyText("x", options);
		expect(copied).toMatchObject({ ok: false, problem: "failed" });
		expect(copied.ok ? "" : copied.message).toContain("timed out");
		expect(await readClipboardText(options)).toMatchObject({ ok: false, problem: "failed" });
	});

	test("wait is ended by Escape", async () => {
		await using at = await fixture();
		await at.install("wl-copy", "exec sleep 30");
		await at.install("wl-paste", 'echo > "$DESK/started"; exec sleep 30');
		const stop = new AbortController();
		const reading = readClipboardText({ ...at.options(wayland), timeoutMs: 20_000, signal: stop.signal });
		while (!(await at.read("started").catch(() => ""))) await Bun.sleep(5);
		stop.abort();
		expect(await reading).toMatchObject({ ok: false, problem: "aborted" });
		const late = await copyText("x", { ...at.options(wayland), signal: stop.signal });
		expect(late).toMatchObject({ ok: false, problem: "aborted" });
	});
});
