/** Servers that the model starts reach the user, and services of the user reach commands, after one question each. */
// takes 25 s
import { createServer, type AddressInfo } from "node:net";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, setDefaultTimeout } from "bun:test";

import type { SessionEvent } from "@tau/session/run";
import { SessionSandbox, type SandboxPolicy } from "@tau/session/sandbox";
import { Settings } from "@tau/config/settings";
import { localMachine } from "@tau/sys";
import { withSandbox } from "@tau/machines/sandbox";

import { needs } from "../../../../test/support/needs.ts";
import { callTool, testToolEnv, textOf, type TestToolEnv } from "../../../../test/support/tool-env.ts";
import { browser } from "@tau/integrations/browser";
import { job } from "../job/tool.ts";
import { portsService } from "./port-watch.ts";
import { bash } from "./tool.ts";

// They wait for programs and servers: five seconds are too few on a busy machine.
setDefaultTimeout(60_000);

const sandboxed = needs("bwrap", "nsenter", "python3", "curl");

let root = "";
beforeEach(() => {
	// The directory for temporary files is private inside.
	root = realpathSync(mkdtempSync(join(homedir().startsWith(tmpdir()) ? "/opt" : homedir(), ".tau-ports-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

interface Fixture extends AsyncDisposable {
	readonly env: TestToolEnv;
	readonly settings: Settings;
	readonly asked: string[];
	readonly events: SessionEvent[];
	bash(command: string, more?: Record<string, unknown>): Promise<string>;
	job(args: Record<string, unknown>): Promise<string>;
	until(isDone: () => boolean): Promise<void>;
}

async function fixture(policy: SandboxPolicy = {}): Promise<Fixture> {
	const cwd = join(root, "project");
	await Bun.write(join(cwd, "index.html"), "from inside\n");
	const settings = await Settings.load({ cwd, agentDir: join(root, "agent") });
	const asked: string[] = [];
	const sandbox = new SessionSandbox({
		cwd,
		env: { ...process.env, HOME: join(root, "home"), TAU_SANDBOX: "auto" },
		settings,
		policy: {
			mode: () => "auto",
			canAsk: () => true,
			requestPort: async (port, by) => asked.push(`port ${port}: ${by}`) > 0,
			requestLocal: async (port) => asked.push(`local ${port}`) > 0,
			...policy,
		},
	});
	const machine = withSandbox(localMachine(), sandbox.launcher);
	const env = await testToolEnv({ cwd, machine, sandbox });
	const { events } = env;
	const deadline = performance.now() + 60_000;
	return {
		env,
		settings,
		asked,
		events,
		bash: async (command, more = {}) => textOf(await callTool(bash.bind(env), { command, ...more })),
		job: async (args) => textOf(await callTool(job.bind(env), args)),
		async until(isDone) {
			while (!isDone()) {
				if (performance.now() > deadline) throw new Error("It did not happen in time.");
				await Bun.sleep(20);
			}
		},
		async [Symbol.asyncDispose]() {
			await env[Symbol.asyncDispose]();
			await sandbox[Symbol.asyncDispose]();
		},
	};
}

function openPorts({ env }: Fixture): { port: number; address: string }[] {
	return env.services.get(portsService, env).open.map(({ port, address }) => ({ port, address }));
}

async function freePort(): Promise<number> {
	const server = createServer();
	const { promise, resolve } = Promise.withResolvers<number>();
	server.listen(0, "127.0.0.1", () => {
		const { port } = server.address() as AddressInfo;
		server.close(() => resolve(port));
	});
	return await promise;
}

async function page(address: string): Promise<string> {
	const answer = fetch(`http://${address}/index.html`);
	return await answer.then(
		(response) => response.text(),
		() => "closed",
	);
}

sandboxed(
	"a server of a background job is offered once, reachable while it runs, and gone with it",
	async () => {
		await using box = await fixture();
		const port = await freePort();
		await box.bash(`python3 -m http.server ${port}`, { async: true });
		await box.until(() => openPorts(box).length > 0);
		const address = `127.0.0.1:${port}`;
		expect(openPorts(box)).toEqual([{ port, address }]);
		expect(await page(address)).toBe("from inside\n");
		expect(box.asked).toEqual([`port ${port}: python3 -m http.server ${port}`]);
		// The model learns of it with its next result.
		const listed = await box.job({ action: "list" });
		expect(listed).toContain(`http://${address} for the user]`);
		expect(listed).toContain(`[Port ${port} is reachable for the user at http://${address}.]`);
		expect(await box.job({ action: "list" })).not.toContain("[Port");
		await box.job({ action: "kill", id: "1" });
		await box.until(() => openPorts(box).length === 0);
		expect(await page(address)).toBe("closed");
		const label = `python3 -m http.server ${port}`;
		const about = { type: "port_update", port, address, label, jobId: "1" } as const;
		expect(box.events.filter(({ type }) => type === "port_update")).toEqual([
			{ ...about, state: "open" },
			{ ...about, state: "closed" },
		]);
	},
);

sandboxed("a server that a command leaves behind is offered, too", async () => {
	await using box = await fixture();
	const port = await freePort();
	await box.bash(`python3 -m http.server ${port} > log 2>&1 &`);
	await box.until(() => openPorts(box).length > 0);
	expect(await page(`127.0.0.1:${port}`)).toBe("from inside\n");
	expect(await box.bash("true")).toContain(`[Port ${port} is reachable for the user`);
});

sandboxed("a short command is not looked at, and a server of a test is not offered", async () => {
	await using box = await fixture();
	expect(await box.bash("true")).toBe("(no output)");
	// Any port: nobody wants to open it.
	const server = "import socket, time; s = socket.socket(); s.bind(('', 0)); s.listen(); time.sleep(4)";
	await box.bash(`python3 -c "${server}"`);
	expect(box.asked).toEqual([]);
});

sandboxed("a no is told to the model, and not asked again", async () => {
	let asked = 0;
	await using box = await fixture({ requestPort: async () => ++asked < 0 });
	const port = await freePort();
	await box.bash(`python3 -m http.server ${port}`, { async: true });
	await box.until(() => asked > 0);
	const note = `[Port ${port} is reachable for commands and the browser tool, not for the user`;
	expect(await box.bash(`curl -s http://127.0.0.1:${port}/index.html`)).toContain(`from inside\n\n${note}`);
	expect(await page(`127.0.0.1:${port}`)).toBe("closed");
	await box.bash("sleep 2");
	expect(asked).toBe(1);
});

sandboxed("rules decide without a question, also where nobody can answer", async () => {
	await using box = await fixture({ canAsk: () => false });
	const port = await freePort();
	await box.settings.set("sandbox.network.publish", [`${port}`], "session");
	await box.bash(`python3 -m http.server ${port}`, { async: true });
	await box.until(() => openPorts(box).length > 0);
	expect(await page(`127.0.0.1:${port}`)).toBe("from inside\n");
	expect(box.asked).toEqual([]);
});

sandboxed("the browser opens a server of the sandbox without a question, and no other port", async () => {
	await using box = await fixture();
	const port = await freePort();
	await box.bash(
		`python3 -m http.server ${port} > log 2>&1 & until curl -s http://127.0.0.1:${port} > /dev/null; do sleep 0.1; done`,
	);
	const touches = (url: string): unknown => browser.touches({ action: "open", url }, box.env);
	const url = `http://localhost:${port}/index.html`;
	expect(touches(url)).toEqual([{ kind: "fetch", url, isOwn: true }]);
	for (const other of [`http://127.0.0.1:${port + 1}/`, `http://example.org:${port}/`])
		expect(touches(other)).toEqual([{ kind: "fetch", url: other }]);
});

const clients: [name: string, command: (port: number) => string][] = [
	["curl", (port) => `curl http://127.0.0.1:${port}/`],
	["curl that says nothing", (port) => `curl -s http://localhost:${port}/ | head -1`],
	["python", (port) => `python3 -c "import socket; socket.create_connection(('127.0.0.1', ${port}))"`],
	["bash", (port) => `exec 3<>/dev/tcp/127.0.0.1/${port}`],
];
for (const [name, command] of clients)
	sandboxed(`a service of the user that ${name} cannot reach is asked about, and works then`, async () => {
		using service = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("user data") });
		const port = service.port ?? 0;
		await using box = await fixture();
		const first = await box.bash(command(port));
		expect(first).toContain(`[127.0.0.1:${port} is a service of the user's machine`);
		expect(first).toContain("It is reachable now. The command was not run again");
		expect(box.asked).toEqual([`local ${port}`]);
		expect(await box.bash(`curl -s http://127.0.0.1:${port}/`)).toBe("user data");
		expect(box.asked).toHaveLength(1);
	});

sandboxed("a no to a service of the user is a denial with the setting, and not asked again", async () => {
	using service = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("user data") });
	let asked = 0;
	await using box = await fixture({ requestLocal: async () => ++asked < 0 });
	for (let turn = 0; turn < 2; turn++) {
		const text = await box.bash(`curl -sS http://127.0.0.1:${service.port}/; true`);
		expect(text).toContain("The sandbox denied:\n- 127.0.0.1:");
		expect(text).toContain(`sandbox.network.local: [${service.port}]`);
	}
	expect(asked).toBe(1);
	const event = box.events.find(({ type }) => type === "sandbox_denied");
	expect(event?.type === "sandbox_denied" && event.denials).toEqual([
		{
			what: expect.stringContaining("is a service of the user's machine"),
			subject: `127.0.0.1:${service.port}`,
			setting: "sandbox.network.local",
			values: [`${service.port}`],
		},
	]);
});

sandboxed("where nobody can be asked, the model learns the reason and the setting", async () => {
	using service = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("user data") });
	await using box = await fixture({ canAsk: () => false });
	const text = await box.bash(`curl -sS http://127.0.0.1:${service.port}/`);
	expect(text).toContain(`- 127.0.0.1:${service.port} is a service of the user's machine`);
	expect(text).toContain(`sandbox.network.local: [${service.port}]`);
	expect(box.asked).toEqual([]);
});

sandboxed("a command that opens one port after the other does not wear the user down", async () => {
	let asked = 0;
	await using box = await fixture({ requestPort: async () => ++asked < 0 });
	const ports = await Promise.all(Array.from({ length: 20 }, freePort));
	const list = [...new Set(ports)].join(", ");
	const servers = `import socket, time; all = [socket.create_server(('', p)) for p in [${list}]]; time.sleep(60)`;
	await box.bash(`python3 -c "${servers}"`, { async: true });
	await box.until(() => asked >= 8);
	await box.bash("sleep 3");
	// Three questions are open at a time.
	expect(asked).toBeLessThanOrEqual(10);
});

sandboxed("a port where nothing listens outside is no question", async () => {
	await using box = await fixture();
	const port = await freePort();
	expect(await box.bash(`curl -sS http://127.0.0.1:${port}/`)).not.toContain("sandbox");
	expect(box.asked).toEqual([]);
});

sandboxed(
	"services that a rule or an earlier yes names are reachable from the first command on",
	async () => {
		using service = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("one") });
		using granted = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("two") });
		await using box = await fixture({ localPorts: async () => [granted.port ?? 0] });
		await box.settings.set("sandbox.network.local", [`localhost:${service.port}`], "session");
		const both = `curl -s http://127.0.0.1:${service.port}/; curl -s http://127.0.0.1:${granted.port}/`;
		expect(await box.bash(both)).toBe("onetwo");
		expect(box.asked).toEqual([]);
	},
);
