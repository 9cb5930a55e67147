/** Activity indicators. */
import { describe, expect, test } from "bun:test";

import { press } from "../editor/testing/keyboard.ts";
import { BorderedLoader, CancellableLoader, Loader, type RenderHost } from "./index.ts";
import { readable, tokenTheme as theme } from "./testing/token-theme.ts";

const accent = (text: string): string => theme.fg("accent", text);
const still: RenderHost = { requestRender: () => {} };

function shown(loader: { render(width: number): string[] }): string[] {
	return loader.render(40).map(readable);
}

describe("a loader", () => {
	test("moves, and requests a frame each time", async () => {
		let next = Promise.withResolvers<void>();
		const host = { requestRender: () => next.resolve() };
		using loader = new Loader(host, accent, String, "Thinking", { frames: ["1", "2"], intervalMs: 20 });
		const seen = [shown(loader)[1]];
		for (const _ of [1, 2]) {
			next = Promise.withResolvers<void>();
			await next.promise;
			seen.push(shown(loader)[1]);
		}
		expect(seen).toEqual([" 1 Thinking", " 2 Thinking", " 1 Thinking"]);
	});

	test("stops moving once it is stopped", async () => {
		let frames = 0;
		const stopped = new Loader({ requestRender: () => void frames++ }, accent, String, "x", {
			intervalMs: 16,
		});
		stopped.stop();
		const before = frames;
		let next = Promise.withResolvers<void>();
		using other = new Loader({ requestRender: () => next.resolve() }, accent, String, "x", {
			intervalMs: 16,
		});
		for (const _ of [1, 2, 3]) {
			next = Promise.withResolvers<void>();
			await next.promise;
		}
		expect(shown(other)[1]).not.toContain("⠋");
		expect(frames).toBe(before);
	});

	test("that was never stopped does not keep the program running", async () => {
		const code = `
			import { Loader } from ${JSON.stringify(`${import.meta.dir}/index.ts`)};
			new Loader({ requestRender() {} }, String, String, "forgotten");
		`;
		const child = Bun.spawn([process.execPath, "-e", code], { stdout: "ignore", stderr: "pipe" });
		expect(await child.exited).toBe(0);
	});

	test("shows its default indicator in the given color, and custom frames unchanged", () => {
		using loader = new Loader(still, accent, String, "x");
		expect(shown(loader)).toEqual(["", " ‹accent›⠋‹/› x"]);
		loader.setIndicator({ frames: [theme.fg("warning", "●")] });
		expect(shown(loader)).toEqual(["", " ‹warning›●‹/› x"]);
		loader.setIndicator({ frames: [] });
		expect(shown(loader)).toEqual(["", " x"]);
		loader.setIndicator();
		expect(shown(loader)).toEqual(["", " ‹accent›⠋‹/› x"]);
	});

	test("moves again when a static indicator is replaced", async () => {
		let next = Promise.withResolvers<void>();
		const host = { requestRender: () => next.resolve() };
		using loader = new Loader(host, accent, String, "x", { frames: ["●"] });
		loader.setIndicator({ frames: ["1", "2"], intervalMs: 16 });
		next = Promise.withResolvers<void>();
		await next.promise;
		expect(shown(loader)[1]).toBe(" 2 x");
	});

	test("shows a new message, and new colors after a theme change", () => {
		let color: "muted" | "error" = "muted";
		using loader = new Loader(still, String, (text) => theme.fg(color, text), "old", { frames: ["●"] });
		loader.setMessage("new");
		expect(shown(loader)[1]).toBe(" ● ‹muted›new‹/›");
		color = "error";
		loader.invalidate();
		expect(shown(loader)[1]).toBe(" ● ‹error›new‹/›");
	});
});

describe("a loader that can be cancelled", () => {
	test("aborts once, on Escape", () => {
		let cancels = 0;
		using loader = new CancellableLoader(still, accent, String, "x");
		loader.onAbort = () => void cancels++;
		press(loader, "a", "enter");
		expect(loader.aborted).toBe(false);
		press(loader, "escape", "escape");
		expect({ cancels, aborted: loader.signal.aborted }).toEqual({ cancels: 1, aborted: true });
	});

	test("between lines does the same, and shows the key", () => {
		let cancels = 0;
		using loader = new BorderedLoader(still, theme, "Fetching");
		loader.onAbort = () => void cancels++;
		expect(shown(loader).join("\n")).toContain("esc");
		press(loader, "escape");
		expect({ cancels, aborted: loader.signal.aborted }).toEqual({ cancels: 1, aborted: true });
	});

	test("ignores Escape when it must not be cancelled", () => {
		using loader = new BorderedLoader(still, theme, "Saving", { cancellable: false });
		press(loader, "escape");
		expect(loader.signal.aborted).toBe(false);
		expect(shown(loader).join("\n")).not.toContain("esc");
	});
});
