/** What a release promises: one version everywhere, and a workflow that runs what the README says. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { versions } from "./checks/versions.ts";
import { problemsIn, report } from "./fixture.ts";
import { repository } from "./tree.ts";

describe("versions", () => {
	test("the manifests of the repository have one version, which is in the changelog", async () => {
		expect(await report(versions, repository)).toBe("");
	});

	test("a manifest with another version and a changelog without the version are caught", async () => {
		const problems = await problemsIn(versions, {
			"package.json": `{ "version": "1.2.0" }`,
			"packages/ai/package.json": `{ "version": "1.1.0" }`,
			"packages/tui/package.json": `{ "version": "1.2.0" }`,
			"packages/web/package.json": `{}`,
			"packages/web/src/fixtures/package.json": `{ "version": "9.9.9" }`,
			"CHANGELOG.md": "# Changes\n\n## 1.2.0-rc.1\n",
		});
		expect(problems).toEqual([
			`CHANGELOG.md has no section "## 1.2.0": add it`,
			expect.stringContaining("packages/ai/package.json has version 1.1.0, and the root has 1.2.0"),
			expect.stringContaining("packages/web/package.json has version none, and the root has 1.2.0"),
		]);
	});

	test("what will be in the next release is unreleased", async () => {
		const manifest = `{ "version": "1.3.0-dev" }`;
		const changelog = "# Changes\n\n## Unreleased\n\n## 1.2.0\n";
		expect(await problemsIn(versions, { "package.json": manifest, "CHANGELOG.md": changelog })).toEqual([]);
		expect(await problemsIn(versions, { "package.json": manifest, "CHANGELOG.md": "## 1.2.0\n" })).toEqual([
			`CHANGELOG.md has no section "## Unreleased": add it`,
		]);
	});

	test("a root without a version is caught", async () => {
		expect(await problemsIn(versions, { "package.json": "{}" })).toEqual([
			"package.json has no version: set one",
		]);
	});
});

test("the workflow runs the two commands of the README on Linux and macOS", async () => {
	const readme = await Bun.file(join(repository, "README.md")).text();
	const [, block = ""] = /## Two commands\n+```sh\n([^`]+)```/.exec(readme) ?? [];
	const commands = block.split("\n").flatMap((line) => line.replace(/\s+#.*$/, "") || []);
	expect(commands).toHaveLength(2);
	type Workflow = {
		jobs: Record<string, { strategy: { matrix: { os: string[] } }; steps: { run?: string }[] }>;
	};
	const text = await Bun.file(join(repository, ".github/workflows/ci.yml")).text();
	const [job] = Object.values((Bun.YAML.parse(text) as Workflow).jobs);
	expect(job?.strategy.matrix.os).toEqual(["ubuntu-latest", "macos-latest"]);
	expect(job?.steps.flatMap(({ run }) => run ?? [])).toEqual(expect.arrayContaining(commands));
});
