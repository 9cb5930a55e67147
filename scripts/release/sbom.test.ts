/** The list of parts of a release is whole: everything that the application needs, each with its checksum. */
import { expect, test } from "bun:test";
import { join } from "node:path";

import { sbom } from "./sbom.ts";

interface Bom {
	components: { "bom-ref": string; name: string; hashes?: { content: string }[] }[];
	dependencies: { ref: string; dependsOn: string[] }[];
}

const facts = { version: "9.9.9", license: "MIT", timestamp: "2026-01-01T00:00:00.000Z" };
const bom = (await sbom(facts)) as Bom;
const refs = bom.components.map((component) => component["bom-ref"]);

test("it names what packages of the application declare, and what those need, each once", async () => {
	expect(new Set(refs).size).toBe(refs.length);
	for await (const file of new Bun.Glob("packages/{coding-agent,ai,tui}/package.json").scan(
		join(import.meta.dir, "../.."),
	)) {
		const { dependencies = {} } = await Bun.file(join(import.meta.dir, "../..", file)).json();
		for (const [name, version] of Object.entries(dependencies)) {
			const wanted = version === "workspace:*" ? facts.version : String(version);
			expect(refs).toContain(`pkg:npm/${name.replace("@", "%40")}@${wanted}`);
		}
	}
	expect(refs.some((ref) => ref.startsWith("pkg:npm/bun@"))).toBe(true);
	// What only tests use is not part of a release.
	expect(refs.join()).not.toContain("fast-check");
});

test("every package of others has its checksum, and every dependency is in the list", () => {
	for (const { name, hashes, "bom-ref": ref } of bom.components)
		if (!ref.includes("%40tau/")) expect(`${name} ${hashes?.[0]?.content}`).toMatch(/ [0-9a-f]{128}$/);
	const known = new Set([...refs, "tau"]);
	for (const { ref, dependsOn } of bom.dependencies)
		expect([ref, ...dependsOn].filter((each) => !known.has(each))).toEqual([]);
});

test("the same sources give the same list", async () => {
	expect(await sbom(facts)).toEqual(bom);
});
