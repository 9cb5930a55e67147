/** Which browser is used, on which system. */
import { expect, test } from "bun:test";

import { testToolEnv } from "../../../../../test/support/tool-env.ts";
import { findBrowser } from "./find-browser.ts";

/** On a machine that has these files. */
async function found(files: readonly string[], env: Record<string, string>, path?: string): Promise<string> {
	await using base = await testToolEnv();
	const { machine, settings } = base;
	if (path !== undefined) await settings.set("browser.path", path, "session");
	const stat = async (name: string): Promise<{ kind: "file"; size: number; mtimeMs: number } | undefined> =>
		files.includes(name) ? { kind: "file", size: 1, mtimeMs: 1 } : undefined;
	return await findBrowser({ settings, env, machine: { ...machine, files: { ...machine.files, stat } } });
}

const mac = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
const windows = "C:\\Program Files\\Microsoft\\Edge\\Application\\msedge.exe";

test("the user's choice comes first, then Chrome, then others", async () => {
	const files = ["/usr/bin/chromium", "/usr/bin/google-chrome", "/opt/my", "/usr/bin/brave-browser"];
	const env = { PATH: "/bin:/usr/bin", HOME: "/home/u" };
	expect(await found(files, env, "/opt/my")).toBe("/opt/my");
	expect(await found(files, { ...env, TAU_BROWSER: "chromium" })).toBe("/usr/bin/chromium");
	expect(await found(files, { ...env, PUPPETEER_EXECUTABLE_PATH: "/opt/my" })).toBe("/opt/my");
	expect(await found(files, env)).toBe("/usr/bin/google-chrome");
	expect(await found(["/usr/bin/brave-browser"], env)).toBe("/usr/bin/brave-browser");
});

test("the usual places of macOS and Windows are known", async () => {
	expect(await found([mac], { PATH: "/usr/bin" })).toBe(mac);
	expect(await found([windows], { PATH: "", PROGRAMFILES: "C:\\Program Files" })).toBe(windows);
});

test("without one, the message says what to do, and nothing is downloaded", async () => {
	const message = await found([], { PATH: "/usr/bin" }).catch(String);
	expect(message).toContain("Ask the user to install Chrome, Chromium or Edge");
	expect(await found([], { PATH: "", TAU_BROWSER: "/no" }).catch(String)).toContain(
		"There is no browser /no",
	);
});
