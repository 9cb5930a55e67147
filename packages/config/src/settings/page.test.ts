/** The settings page is generated from the table of settings, and complete. */
import { expect, test } from "bun:test";
import { join } from "node:path";

import { fits } from "@tau/utils";

import { settingHelp, settingsPage } from "./page.ts";
import { groups, schema, settingPaths } from "./schema.ts";

const page = join(import.meta.dir, "../../../../docs/settings.md");

test("docs/settings.md is the output of `bun scripts/settings-docs.ts`: run it if this fails", async () => {
	expect(await Bun.file(page).text()).toBe(settingsPage());
});

test.each(settingPaths.map((path) => [path]))("%s is explained on the page and by itself", (path) => {
	const { description, expected, notForProjects } = schema[path];
	const row = settingsPage()
		.split("\n")
		.find((line) => line.startsWith(`| \`${path}\` |`));
	const help = settingHelp({ path, setting: schema[path] });
	for (const text of [description, expected]) {
		expect(row).toContain(text);
		expect(help).toContain(text);
	}
	expect(row).toContain(notForProjects === undefined ? "| yes |" : "| no |");
	if (notForProjects !== undefined) expect(help).toContain(`no, because ${notForProjects}`);
});

test("every setting is in one group", () => {
	const all = groups.flatMap(({ settings }) => Object.keys(settings));
	expect(all.toSorted()).toEqual(settingPaths.toSorted());
});

test("every default is a valid value of its setting, in a form that users can write", () => {
	for (const path of settingPaths) {
		const { default: value, type, scopes } = schema[path];
		if (value !== undefined) expect(fits(type, value)).toBe(true);
		expect(scopes[0]).toBe("global");
	}
});
