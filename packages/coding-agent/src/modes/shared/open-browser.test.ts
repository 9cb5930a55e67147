/** A browser is opened if there is one and it is enabled, and only for web URLs. */
import { expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { browserCommand } from "./open-browser.ts";

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

test.each(["file:///etc/passwd", "data:text/html,hi", "-a Calculator", "/bin/sh", ""])(
	"never for %p",
	(other) => {
		expect(browserCommand(other, {}, "darwin")).toBeUndefined();
	},
);
