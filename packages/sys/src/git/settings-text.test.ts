/** Git's settings mean what git itself takes them for. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { gitSettingsIn } from "./settings-text.ts";

const texts: Readonly<Record<string, string>> = {
	"one setting in a line": "[core]\n\ta = b\n",
	"two sections in a line": "[user] [core] a = b\n[x]y=z\n",
	"a header with a name": '[a "B.\\"c"]\n\tkEy = v\n[A.d]\ne = f\n',
	"carriage returns": "[core]\r\n\ta = b\\\r\nc\r\n\td = e\r\n",
	"a mark in front": "\ufeff[core]\n\ta = b\n",
	"quotes, escapes and comments": '[core]\n\ta = " b ; c" d # e\n\tf = "g\\th\\\\" "i"\n; [x]\n',
	"spaces around a value and in it": "[core]\n\ta   =   b c  \n\td = \u00a0e\u00a0\n",
	"continued lines": "[core]\n\ta = b \\\n  c\n\td = e # f \\\ng = h\n",
	"no value": "[core]\n\ta\n\tb =\n",
	"what git refuses": "[core]\n\ta = b\n\t= c\n\td = e\n",
};

for (const [name, text] of Object.entries(texts))
	needs("git")(`settings with ${name} are read as git reads them`, () => {
		const directory = mkdtempSync(join(tmpdir(), "tau-git-settings-"));
		try {
			const file = join(directory, "config");
			writeFileSync(file, text);
			const listed = Bun.spawnSync(["git", "config", "--null", "--list", "--file", file], {
				env: { PATH: process.env.PATH },
			});
			const { settings, isWhole } = gitSettingsIn(text);
			const lines = settings.map(
				({ section, of, key, value }) =>
					`${[section, ...(of === undefined ? [] : [of.replaceAll(/\\(.)/g, "$1")]), key].join(".")}\n${value}\0`,
			);
			expect(isWhole).toBe(listed.exitCode === 0);
			if (isWhole)
				expect(lines.join("")).toBe(listed.stdout.toString().replaceAll(/core\.a\0/g, "core.a\ntrue\0"));
		} finally {
			rmSync(directory, { recursive: true });
		}
	});

test("what git refuses is not read, nor what comes after it", () => {
	expect(gitSettingsIn("[core]\n\ta = b\n\t= c\n\td = e\n").settings).toEqual([
		{ section: "core", key: "a", value: "b" },
	]);
});
