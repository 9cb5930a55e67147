/** A question about a host of a package registry is one about the registry. */
import { expect, test } from "bun:test";

import { hostFields, hostSubjects } from "./approval-request.ts";

test("a longer yes to a registry covers all of its hosts, and the choice names them", () => {
	const { choices } = hostFields("registry.npmjs.org", 443, undefined);
	expect(choices.map(({ label }) => label)).toContain(
		"Yes, always in this project: the npm registry (registry.npmjs.org, registry.yarnpkg.com)",
	);
	const hosts = ["registry.npmjs.org", "registry.yarnpkg.com"];
	expect(hostSubjects("Registry.npmjs.org")).toEqual(hosts.map((host) => ({ kind: "fetch", host })));
});

test("a longer yes to another host covers that host", () => {
	const { choices } = hostFields("Example.org", 8443, undefined);
	expect(choices.map(({ label }) => label)).toContain("Yes, for this session: Example.org");
	expect(hostSubjects("Example.org")).toEqual([{ kind: "fetch", host: "example.org" }]);
});
