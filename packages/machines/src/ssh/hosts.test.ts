/** Hosts are found where users write them, and a hostile name is none. */
import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { namedDestination, parseAddress } from "./destination.ts";
import { configuredHosts } from "./hosts.ts";

test("hosts of ssh.json come first, then those of OpenSSH's configuration and what it includes", () => {
	const home = mkdtempSync(join(tmpdir(), "tau-hosts-"));
	using stack = new DisposableStack();
	stack.defer(() => rmSync(home, { recursive: true, force: true }));
	mkdirSync(join(home, ".ssh/conf.d"), { recursive: true });
	writeFileSync(
		join(home, ".ssh/config"),
		'Include conf.d/*\nHost a b *.example !c\n  Port 22\nhost="quoted"\nMatch all\nHost web\n',
	);
	writeFileSync(join(home, ".ssh/conf.d/one"), "Host included\n");
	writeFileSync(
		join(home, "ssh.json"),
		JSON.stringify({
			hosts: {
				web: { host: "10.0.0.4", username: "deploy", port: "2222", key: "~/.ssh/k", description: "the web" },
				"-oProxyCommand=x": { host: "h" },
				option: { host: "-oProxyCommand=touch x" },
				user: { host: "h", user: "-x" },
				port: { host: "h", port: 70_000 },
			},
		}),
	);
	writeFileSync(join(home, "broken.json"), "{");
	const files = [join(home, "ssh.json"), join(home, "broken.json"), join(home, "none.json")];
	const { hosts, problems } = configuredHosts({ files, config: join(home, ".ssh/config"), home });
	expect(hosts.map(({ name }) => name)).toEqual(["web", "included", "a", "b", "quoted"]);
	expect(hosts[0]).toMatchObject({ host: "10.0.0.4", user: "deploy", port: 2222, keyPath: "~/.ssh/k" });
	expect(problems).toHaveLength(5);
});

test("addresses of machines are read as users write them; options are none", () => {
	expect(parseAddress("ssh:box")).toEqual({ destination: "box" });
	expect(parseAddress("ssh:me@box:/srv/a b")).toEqual({ destination: "me@box", path: "/srv/a b" });
	expect(parseAddress("ssh:box:~/app")).toEqual({ destination: "box", path: "~/app" });
	expect(parseAddress("ssh://box/srv")).toEqual({ destination: "box", path: "/srv" });
	expect(parseAddress("ssh:[::1]:/srv")).toEqual({ destination: "[::1]", path: "/srv" });
	expect(["box", "ssh:", "ssh:-oProxyCommand=x", "ssh:a b", "ssh:$(x)"].map(parseAddress)).toEqual(
		Array.from({ length: 5 }, () => undefined),
	);
	expect(namedDestination("me@[::1]")).toEqual({ name: "me@[::1]", host: "::1", user: "me" });
});
