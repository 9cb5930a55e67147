/** A browser is opened if there is one and it is enabled, and only for web URLs. */
import { expect, test } from "bun:test";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { browserCommand, openBrowser } from "./open-browser.ts";

const url = "https://example.com/?a=1&b=2";

test("on macOS and Windows, with the system's command", () => {
	expect(browserCommand(url, {}, "darwin")).toEqual(["open", url]);
	expect(browserCommand(url, {}, "win32")).toEqual(["rundll32", "url.dll,FileProtocolHandler", url]);
});

test("on Linux with a display and xdg-open", () => {
	const PATH = mkdtempSync(join(tmpdir(), "tau-browser-"));
	try {
		expect(browserCommand(url, { DISPLAY: ":0", PATH }, "linux")).toBeUndefined();
		const opener = join(PATH, "xdg-open");
		writeFileSync(opener, "#!/bin/sh\n");
		chmodSync(opener, 0o755);
		expect(browserCommand(url, { DISPLAY: ":0", PATH }, "linux")).toEqual([opener, url]);
		expect(browserCommand(url, { WAYLAND_DISPLAY: "w", PATH }, "linux")).toEqual([opener, url]);
		expect(browserCommand(url, { PATH }, "linux")).toBeUndefined();
		expect(browserCommand(url, { DISPLAY: ":0", PATH, TAU_NO_BROWSER: "1" }, "linux")).toBeUndefined();
	} finally {
		rmSync(PATH, { recursive: true });
	}
});

test("the browser, which runs on, gets no key of a provider", async () => {
	const directory = mkdtempSync(join(tmpdir(), "tau-browser-"));
	try {
		const seen = join(directory, "seen");
		const opener = join(directory, "xdg-open");
		writeFileSync(opener, `#!/bin/sh\nenv > "${seen}.new"; mv "${seen}.new" "${seen}"\n`);
		chmodSync(opener, 0o755);
		const PATH = `${directory}:${process.env.PATH}`;
		expect(openBrowser(url, { DISPLAY: ":0", PATH, GROQ_API_KEY: "gsk-0123" }, "linux")).toBe(true);
		const deadline = performance.now() + 60_000;
		while (!existsSync(seen) && performance.now() < deadline) await Bun.sleep(5);
		expect(readFileSync(seen, "utf8")).toContain("DISPLAY=:0");
		expect(readFileSync(seen, "utf8")).not.toContain("gsk-0123");
	} finally {
		rmSync(directory, { recursive: true });
	}
});

test.each(["file:///etc/passwd", "data:text/html,hi", "-a Calculator", "/bin/sh", ""])(
	"never for %p",
	(other) => {
		expect(browserCommand(other, {}, "darwin")).toBeUndefined();
	},
);
