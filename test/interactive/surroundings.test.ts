/** The surroundings of Tau: the terminal's background, which may change, and the clipboard of the machine. */
import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { launch, type Launched } from "../support/launch.ts";
import { needs } from "../support/needs.ts";
import { openTau, type Background } from "./driver.ts";

describe("the color scheme of the terminal", () => {
	/** Colors as a user sees them who started Tau with this background. */
	async function colorsIn(background: Background): Promise<(number | undefined)[]> {
		const env = { COLORTERM: "truecolor" };
		await using tau = await openTau({ steps: [] }, { background, env, rows: 40 });
		await tau.until("played-1");
		tau.type("!echo hi\r");
		await tau.until("! echo hi");
		tau.type("/debug\r");
		await tau.until(`auto (${background})`);
		return [tau.colorOf("! echo hi"), tau.colorOf("played-1")];
	}

	test("is followed while Tau runs, also by what is on the screen already", async () => {
		const [dark, light] = [await colorsIn("dark"), await colorsIn("light")];
		expect(dark).not.toEqual(light);
		await using tau = await openTau({ steps: [] }, { background: "dark", env: { COLORTERM: "truecolor" } });
		await tau.until("played-1");
		tau.type("!echo hi\r");
		await tau.until("! echo hi");
		const seen = (): (number | undefined)[] => [tau.colorOf("! echo hi"), tau.colorOf("played-1")];
		await tau.untilDrawn(() => Bun.deepEquals(seen(), dark), "showed the colors of the dark");
		tau.switchTo("light");
		await tau.untilDrawn(() => Bun.deepEquals(seen(), light), "showed the colors of the light");
		tau.switchTo("dark");
		await tau.untilDrawn(() => Bun.deepEquals(seen(), dark), "showed the colors of the dark again");
		expect(tau.scrollback().split("! echo hi").length).toBe(2);
	});

	test("does not affect a theme that the user has selected", async () => {
		await using tau = await openTau(
			{ steps: ["Still here."] },
			{ background: "light", settings: "theme: dark\n", env: { COLORTERM: "truecolor" } },
		);
		await tau.until("played-1");
		const before = tau.colorOf("played-1");
		tau.switchTo("dark");
		tau.switchTo("light");
		tau.type("hello\r");
		await tau.until("Still here.");
		expect(tau.colorOf("played-1")).toBe(before);
	});
});

/** Red, one pixel. */
const png = Buffer.from(
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
	"base64",
);

/** A model with vision. */
async function launchSeeing(
	steps: Parameters<typeof launch>[0]["steps"] = ["A red dot."],
): Promise<Launched> {
	const home = await launch({ steps });
	const models = join(home.agentDir, "models.yml");
	const text = readFileSync(models, "utf8");
	writeFileSync(models, text.replace("input: [text]", "input: [text, image]"));
	return home;
}

/** Sends the clipboard image with a question, and returns what the model got. */
async function pasted(home: Launched, env: Record<string, string>): Promise<string> {
	await using tau = await openTau({ steps: [] }, { home, env });
	await tau.until("played-1");
	tau.type("what is this ");
	tau.press("ctrlV");
	await tau.until("[image 1]");
	tau.press("enter");
	await tau.until("A red dot.");
	return home.played.requests[0]?.rawBody ?? "";
}

describe("an image in the clipboard", () => {
	test("is pasted with Ctrl+V and sent with the text", async () => {
		await using home = await launchSeeing();
		const programs = join(home.home, "bin");
		mkdirSync(programs);
		writeFileSync(join(programs, "image.png"), png);
		const script = `#!/bin/sh\ncase "$*" in *--list-types*) echo image/png;; *) cat "${programs}/image.png";; esac\n`;
		for (const name of ["wl-copy", "wl-paste"]) {
			writeFileSync(join(programs, name), script);
			chmodSync(join(programs, name), 0o755);
		}
		const body = await pasted(home, {
			PATH: `${programs}:${home.env["PATH"]}`,
			WAYLAND_DISPLAY: "wayland-0",
		});
		expect(body).toContain('"media_type":"image/');
		expect(body).toContain("what is this");
	});

	needs("Xvfb", "xclip")("comes from a real X server", async () => {
		await using home = await launchSeeing();
		const file = join(home.home, "image.png");
		writeFileSync(file, png);
		await using screen = await startX();
		const DISPLAY = screen.display;
		const PATH = home.env["PATH"] ?? "";
		// It keeps running to serve what was copied, until the display is gone.
		const copy = ["xclip", "-selection", "clipboard", "-t", "image/png", "-i", file];
		expect(await Bun.spawn(copy, { env: { DISPLAY, PATH }, stderr: "inherit" }).exited).toBe(0);
		expect(await pasted(home, { DISPLAY })).toContain('"media_type":"image/');
	});

	test("that does not exist is reported, with a remedy, and nothing is lost", async () => {
		await using tau = await openTau({ steps: [] });
		await tau.until("played-1");
		tau.type("look at this");
		tau.press("ctrlV");
		await tau.until("No display is available");
		expect(tau.screen()).toContain("look at this");
	});
});

/** An X server without a screen, on a display that it chooses itself. */
async function startX(): Promise<AsyncDisposable & { display: string }> {
	const server = Bun.spawn(["Xvfb", "-displayfd", "1", "-screen", "0", "64x64x24", "-nolisten", "tcp"], {
		stdout: "pipe",
		stderr: "ignore",
	});
	const reader = server.stdout.getReader();
	const { value } = await reader.read();
	return {
		display: `:${new TextDecoder().decode(value).trim()}`,
		async [Symbol.asyncDispose]() {
			server.kill();
			await server.exited;
		},
	};
}

test("an image that was read is painted with the details of the call, where the terminal shows sixel", async () => {
	const call = { toolCall: { name: "read", arguments: { path: "dot.png" } } };
	await using home = await launchSeeing([{ answer: { blocks: [call] } }, "A red dot."]);
	writeFileSync(join(home.project, "dot.png"), png);
	const env = { TAU_FORCE_IMAGE_PROTOCOL: "sixel" };
	await using tau = await openTau({ steps: [] }, { home, env });
	await tau.until("played-1");
	tau.type("look\r");
	await tau.until("A red dot.");
	expect(tau.bytes).not.toContain("\u001BP");
	tau.press("ctrlO");
	await tau.untilDrawn(() => tau.bytes.includes('\u001BP0;1;0q"1;1;1;1#0;2;'), "painted the dot");
});
