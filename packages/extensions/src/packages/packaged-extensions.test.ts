/** Which code of packages is loaded. */
import { expect, test } from "bun:test";
import { relative } from "node:path";

import { playRegistry } from "../../../../test/support/registry.ts";
import { Switches } from "@tau/resources/discovery";
import { installPackages } from "./change.ts";
import { packagedExtensions } from "./packaged-extensions.ts";
import { workshopWith } from "./testing/workshop.ts";

const openWorkshop = workshopWith(playRegistry);
type Workshop = ReturnType<typeof openWorkshop>;

const manifest = {
	name: "all",
	version: "1.0.0",
	omp: { extensions: ["e.ts"], hooks: "h.ts", tools: "t.ts" },
};
const files = { "package.json": JSON.stringify(manifest), "e.ts": "", "h.ts": "", "t.ts": "" };

function code(
	shop: Workshop,
	isTrusted = true,
	switches?: Switches,
): { found: string[]; untrusted: string[] } {
	const { home, agentDir, project: cwd } = shop;
	const { found, untrusted } = packagedExtensions({ cwd, home, agentDir, isTrusted }, switches);
	return {
		found: found.map(({ path, toolKind = "extension" }) => `${toolKind} ${relative(shop.base, path)}`),
		untrusted: untrusted.map((path) => relative(shop.base, path)),
	};
}

test("extensions and hooks of omp's kind are loaded as extensions, tools as tools", async () => {
	using shop = openWorkshop();
	await shop.install(shop.put("all", files));
	const matches = ["extension all/e.ts", "extension all/h.ts", "module all/t.ts"];
	expect(code(shop)).toEqual({ found: matches, untrusted: [] });
	expect(code(shop, true, new Switches(["packages"])).found).toEqual([]);
	expect(code(shop, true, new Switches(["packages/extensions"])).found).toEqual([]);
	expect(code(shop, true, new Switches(["claude", "packages/skills"])).found).toEqual(matches);
});

test("code of a project's package is not loaded until the project is trusted", async () => {
	using shop = openWorkshop();
	const path = shop.put("project/tools/all", files);
	const wanted = { source: { kind: "path", path } as const, features: undefined };
	await installPackages([wanted], { ...shop.options, home: shop.local });
	expect(code(shop, false)).toEqual({
		found: [],
		untrusted: ["project/tools/all/e.ts", "project/tools/all/h.ts", "project/tools/all/t.ts"],
	});
	expect(code(shop, true).found).toHaveLength(3);
});
