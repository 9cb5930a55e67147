/** No command sees the data of a browser, whatever it is called and however it was installed. */
import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { browserData, isBrowserData } from "./browser-data.ts";
import { neededForLandlock, neededPrograms, sandboxFixture } from "./testing/sandbox-fixture.ts";

const hidden = [
	"snap/firefox/common/.mozilla/firefox/x/logins.json",
	"snap/chromium/current/Default/Cookies",
	".var/app/org.mozilla.firefox/.mozilla/logins.json",
	".config/vivaldi/Cookies",
	".config/opera/Login Data",
	".config/a new browser/Local State",
	".config/BraveSoftware/Brave-Browser/Local State",
	".config/other/profiles.ini",
	".librewolf/x",
	".zen/profiles.ini",
	".a new fox/profiles.ini",
];
const shown = [".config/tool/config.toml", ".tool/state", "Cookies/Cookies", "tool/profiles.ini"];

for (const landlock of [false, true]) {
	const contained = needs(...(landlock ? neededForLandlock : neededPrograms));
	contained(
		`regression: browsers of each kind are hidden, with ${landlock ? "Landlock" : "bubblewrap"}`,
		async () => {
			await using box = await sandboxFixture({
				landlock,
				files: Object.fromEntries([...hidden, ...shown].map((name) => [`home/${name}`, `read ${name}\n`])),
			});
			const { text } = await box.run(
				[...hidden, ...shown].map((name) => `cat "${box.home}/${name}" 2>/dev/null; true`).join("; "),
			);
			expect(text.trim().split("\n")).toEqual(shown.map((name) => `read ${name}`));
		},
	);
}

test("browsers are known by their files", () => {
	const home = realpathSync(mkdtempSync(join(tmpdir(), "tau-browsers-")));
	try {
		const files = [
			".config/one/Local State",
			".two/profiles.ini",
			"Library/Application Support/Three/Cookies",
		];
		for (const name of [...files, ...shown]) {
			mkdirSync(dirname(join(home, name)), { recursive: true });
			writeFileSync(join(home, name), "");
		}
		const found = files.map((name) => dirname(join(home, name)));
		expect(browserData(home).toSorted()).toEqual(found.toSorted());
		for (const path of found) {
			expect(isBrowserData(path, home)).toBe(true);
			expect(isBrowserData(join(path, "Default/History"), home)).toBe(true);
			expect(isBrowserData(`${path}2`, home)).toBe(false);
		}
		expect(shown.some((name) => isBrowserData(join(home, name), home))).toBe(false);
		expect(isBrowserData(home, home)).toBe(false);
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
});
