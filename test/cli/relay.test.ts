/** `tau relay` as a program: it says where it listens, serves a room, and sends its members elsewhere when it is stopped. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { tauProgram } from "../support/launch.ts";
import { TestGuest, TestHost } from "../support/relay/ends.ts";

// They wait for programs and servers: five seconds are too few on a busy machine.
setDefaultTimeout(60_000);

test("a relay from the command line serves a room until SIGTERM, and ends with 0", async () => {
	const directory = mkdtempSync(join(tmpdir(), "tau-relay-cli-"));
	try {
		const relay = Bun.spawn([tauProgram, "relay", "127.0.0.1:0"], {
			env: { PATH: process.env.PATH ?? "", HOME: directory, TAU_RELAY_DRAIN: "0" },
			stdio: ["ignore", "ignore", "pipe"],
		});
		const listening = Promise.withResolvers<string>();
		// All of it is read: a program whose output nobody reads ends.
		const reading = (async () => {
			let output = "";
			for await (const part of relay.stderr) {
				output += new TextDecoder().decode(part);
				const [, address] = /listens on (\S+)\s/.exec(output) ?? [];
				if (address !== undefined) listening.resolve(address);
			}
			listening.reject(new Error(output));
		})();
		const url = await listening.promise;
		using host = await TestHost.create({ nodes: [url], once: true });
		host.connect();
		await host.joined();
		using guest = await TestGuest.join(host.room, { nodes: [url], once: true });
		await guest.joined();
		host.broadcast("hello");
		await guest.until(() => guest.received.length === 1, "the message");
		relay.kill("SIGTERM");
		await guest.until(() => guest.closes.length === 1, "the end");
		expect(guest.closes[0]?.code).toBe(1012);
		expect(guest.controls.some(({ t }) => t === "move")).toBe(true);
		expect(await relay.exited).toBe(0);
		await reading;
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
});

test("a relay whose log nobody reads any more keeps its members, and still sends them elsewhere", async () => {
	const directory = mkdtempSync(join(tmpdir(), "tau-relay-cli-"));
	try {
		const relay = Bun.spawn([tauProgram, "relay", "127.0.0.1:0"], {
			env: { PATH: process.env.PATH ?? "", HOME: directory, TAU_RELAY_DRAIN: "0" },
			stdio: ["ignore", "ignore", "pipe"],
		});
		let output = "";
		const reader = relay.stderr.getReader();
		while (!/listens on (\S+)\s/.test(output))
			output += new TextDecoder().decode((await reader.read()).value);
		await reader.cancel();
		const [, url = ""] = /listens on (\S+)\s/.exec(output) ?? [];
		using host = await TestHost.create({ nodes: [url], once: true });
		host.connect();
		await host.joined();
		using guest = await TestGuest.join(host.room, { nodes: [url], once: true });
		await guest.joined();
		relay.kill("SIGTERM");
		await guest.until(() => guest.closes.length === 1, "the end");
		expect(guest.closes[0]?.code).toBe(1012);
		expect(await relay.exited).toBe(0);
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
});

test("the files for Docker and systemd start a relay with settings that the page about it has", () => {
	const deploy = join(import.meta.dir, "../../deploy/relay");
	const page = readFileSync(join(import.meta.dir, "../../docs/relay.md"), "utf8");
	const compose = Bun.YAML.parse(readFileSync(join(deploy, "compose.yml"), "utf8")) as {
		services: Record<
			string,
			{ environment?: Record<string, string>; depends_on?: string[]; stop_grace_period?: string }
		>;
	};
	expect(Object.keys(compose.services)).toEqual(["relay-1", "relay-2", "valkey", "caddy"]);
	expect(compose.services["relay-2"]).toEqual(compose.services["relay-1"] ?? {});
	expect(compose.services["relay-1"]).toMatchObject({
		environment: { TAU_RELAY_REDIS: "redis://valkey:6379" },
		depends_on: ["valkey"],
		stop_grace_period: "20s",
	});
	const named = ["compose.yml", "Dockerfile", "tau-relay.service"].flatMap((file) => [
		...readFileSync(join(deploy, file), "utf8").matchAll(/TAU_RELAY_[A-Z]+/g),
	]);
	expect(named.length).toBeGreaterThan(5);
	for (const [name] of named) expect(page).toContain(`\`${name}\``);
	expect(readFileSync(join(deploy, "Caddyfile"), "utf8")).toContain(
		"reverse_proxy relay-1:7475 relay-2:7475",
	);
});

test("an address that cannot be listened on is an error that says what to give", async () => {
	const relay = Bun.spawn([tauProgram, "relay", "nowhere:port"], {
		stdio: ["ignore", "ignore", "pipe"],
	});
	expect(await relay.exited).toBe(2);
	expect(await relay.stderr.text()).toContain("Give host:port");
});
