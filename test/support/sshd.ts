/** An sshd of the test's own on 127.0.0.1, with keys and settings of its own; the user's and the system's are not touched. */
import {
	appendFileSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TestSshd extends AsyncDisposable {
	/** Of its files; `work` is empty, and meant for the test. */
	readonly directory: string;
	readonly work: string;
	readonly port: number;
	/** A configuration of OpenSSH in which the sshd is the host `box`. */
	readonly config: string;
	/** The file with the host keys that are known. */
	readonly knownHosts: string;
	/** Cuts all connections; new ones are accepted. */
	dropConnections(): void;
	/** Ends the server with all connections; new ones are refused until `start`. */
	stop(): Promise<void>;
	start(): Promise<void>;
	/** What it has logged. */
	log(): string;
}

export interface SshdOptions {
	/** The key of the user has this passphrase. */
	passphrase?: string;
	/** The host key is not known. */
	unknownHost?: boolean;
	/** Lines of its configuration. */
	settings?: readonly string[];
}

const program = "/usr/sbin/sshd";

export async function testSshd(options: SshdOptions = {}): Promise<TestSshd> {
	const directory = realpathSync(await mkdtemp(join(tmpdir(), "tau-sshd-")));
	const at = (name: string): string => join(directory, name);
	for (const name of ["work", "tmp"]) mkdirSync(at(name));
	for (const [name, phrase] of [
		["host_key", ""],
		["user_key", options.passphrase ?? ""],
	] as const)
		run(["ssh-keygen", "-q", "-t", "ed25519", "-N", phrase, "-f", at(name)]);
	writeFileSync(at("authorized_keys"), readFileSync(at("user_key.pub")));
	const port = await freePort();
	const hostKey = readFileSync(at("host_key.pub"), "utf8").split(" ").slice(0, 2).join(" ");
	writeFileSync(at("known_hosts"), options.unknownHost ? "" : `[127.0.0.1]:${port} ${hostKey}\n`);
	writeFileSync(at("sshd_config"), serverSettings(at, port, options.settings));
	writeFileSync(at("ssh_config"), clientSettings(at, port));
	// Privilege separation needs it, and only a service creates it.
	if (process.getuid?.() === 0 && !existsSync("/run/sshd")) mkdirSync("/run/sshd", { mode: 0o755 });
	writeFileSync(at("log"), "");
	const log = (): string => readFileSync(at("log"), "utf8");
	const start = async (): Promise<Bun.Subprocess> => {
		const before = log().length;
		const started = Bun.spawn([program, "-D", "-E", at("log"), "-f", at("sshd_config")], {
			stdin: "ignore",
			stdout: "ignore",
			stderr: "ignore",
			env: { PATH: process.env.PATH ?? "/usr/bin:/bin" },
		});
		for (let waited = 0; !log().slice(before).includes("Server listening"); waited += 20) {
			if (started.exitCode !== null || waited > 20_000) throw new Error(`sshd did not start: ${log()}`);
			await Bun.sleep(20);
		}
		return started;
	};
	let server = await start();
	const stop = async (): Promise<void> => {
		for (const pid of childrenOf(server.pid)) kill(pid);
		server.kill();
		await server.exited;
	};
	return {
		directory,
		work: at("work"),
		port,
		config: at("ssh_config"),
		knownHosts: at("known_hosts"),
		dropConnections: () => {
			appendFileSync(at("log"), "dropping connections\n");
			for (const pid of childrenOf(server.pid)) kill(pid);
		},
		stop,
		async start() {
			server = await start();
		},
		log,
		async [Symbol.asyncDispose]() {
			await stop();
			for (const pid of sessionsOf(port)) kill(pid);
			rmSync(directory, { recursive: true, force: true });
		},
	};
}

function serverSettings(at: (name: string) => string, port: number, more: readonly string[] = []): string {
	return [
		...more,
		`Port ${port}`,
		"ListenAddress 127.0.0.1",
		`HostKey ${at("host_key")}`,
		`AuthorizedKeysFile ${at("authorized_keys")}`,
		`PidFile ${at("pid")}`,
		// What sessions leave there is deleted with the rest.
		`SetEnv TMPDIR=${at("tmp")}`,
		"UsePAM no",
		"StrictModes no",
		"PasswordAuthentication no",
		"KbdInteractiveAuthentication no",
		"PermitRootLogin yes",
		"PrintMotd no",
		"MaxStartups 100",
		"LogLevel INFO",
		"",
	].join("\n");
}

function clientSettings(at: (name: string) => string, port: number): string {
	return [
		"Host box",
		"  HostName 127.0.0.1",
		`  Port ${port}`,
		`  User ${Bun.spawnSync(["id", "-un"]).stdout.toString().trim()}`,
		`  IdentityFile ${at("user_key")}`,
		"  IdentitiesOnly yes",
		"  IdentityAgent none",
		`  UserKnownHostsFile ${at("known_hosts")}`,
		"  GlobalKnownHostsFile /dev/null",
		"",
	].join("\n");
}

function run(command: string[]): void {
	const { exitCode, stderr } = Bun.spawnSync(command, { stdin: "ignore" });
	if (exitCode !== 0) throw new Error(`${command[0]}: ${stderr.toString()}`);
}

async function freePort(): Promise<number> {
	const server = createServer();
	const listening = Promise.withResolvers<void>();
	server.listen(0, "127.0.0.1", listening.resolve);
	await listening.promise;
	const address = server.address();
	const closed = Promise.withResolvers<void>();
	server.close(() => closed.resolve());
	await closed.promise;
	if (address === null || typeof address === "string") throw new Error("no port");
	return address.port;
}

/** The processes of connections: each forks once more for the user. */
function childrenOf(pid: number): number[] {
	const { stdout } = Bun.spawnSync(["ps", "-A", "-o", "pid=", "-o", "ppid=", "-o", "comm="]);
	const rows = stdout
		.toString()
		.split("\n")
		.map((line) => line.trim().split(/\s+/));
	const below = rows.filter(([, parent]) => Number(parent) === pid).map(([child]) => Number(child));
	const deeper = rows
		.filter(([, parent, name]) => below.includes(Number(parent)) && name?.startsWith("sshd"))
		.map(([child]) => Number(child));
	return [...deeper, ...below];
}

/** Processes of its users, which a lost connection does not end. */
function sessionsOf(port: number): number[] {
	const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
	return pids.map(Number).filter((pid) => {
		try {
			return new RegExp(`\0SSH_CONNECTION=\\S+ \\d+ \\S+ ${port}\0`).test(
				readFileSync(`/proc/${pid}/environ`, "latin1"),
			);
		} catch {
			return false;
		}
	});
}

function kill(pid: number): void {
	try {
		process.kill(pid, "SIGKILL");
	} catch {
		// It has ended already.
	}
}
