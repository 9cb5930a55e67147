/** A home directory and the services of AWS on loopback, shared by the tests of this folder. */
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Env } from "@tau/utils";

import { credentialsFor } from "../credentials.ts";
import { profileOf } from "../profile.ts";
import type { AwsCredentials } from "../sigv4.ts";

export interface Seen {
	method: string;
	path: string;
	query: string;
	headers: Headers;
	body: string;
}

export interface Home extends AsyncDisposable {
	/** An environment with this home, and without the machine's own services. */
	env(more?: Env): Env;
	path(name: string): string;
	/** Written below `.aws`, unless the name says otherwise. */
	write(name: string, text: string): Promise<string>;
	/** Puts a program `aws` on PATH: a shell script that runs `commands` by the arguments after `configure`. */
	installAws(commands: Record<string, string>): Promise<void>;
	/** The calls of `aws`: their arguments, and AWS_PROFILE after a comma. */
	awsCalls(): Promise<string[]>;
}

export async function makeHome(files: Record<string, string> = {}): Promise<Home> {
	const home = await mkdtemp(join(tmpdir(), "tau-aws-"));
	const made: Home = {
		env: (more = {}) => ({
			HOME: home,
			// No other directory: the machine's own `aws` must not be used.
			PATH: join(home, "bin"),
			AWS_EC2_METADATA_DISABLED: "true",
			...more,
		}),
		path: (name) => join(home, ".aws", name),
		async write(name, text) {
			const path = made.path(name);
			await mkdir(dirname(path), { recursive: true });
			await writeFile(path, text);
			return path;
		},
		async installAws(commands) {
			const cases = Object.entries(commands).map(([args, code]) => `"configure ${args}") ${code} ;;`);
			const log = `echo "$*,$AWS_PROFILE" >> "$0.log"`;
			const otherwise = `*) echo "unknown command $*" >&2; exit 252 ;;`;
			const script = ["#!/bin/sh", log, `case "$*" in`, ...cases, otherwise, "esac", ""].join("\n");
			await mkdir(join(home, "bin"), { recursive: true });
			await writeFile(join(home, "bin/aws"), script);
			await chmod(join(home, "bin/aws"), 0o755);
		},
		async awsCalls() {
			const log = await readFile(join(home, "bin/aws.log"), "utf8").catch(() => "");
			return log.split("\n").filter(Boolean);
		},
		[Symbol.asyncDispose]: () => rm(home, { recursive: true }),
	};
	for (const [name, text] of Object.entries(files)) await made.write(name, text);
	return made;
}

/** A server that answers by path and records the requests. */
export function serve(
	routes: Record<string, (seen: Seen) => Response | Promise<Response>>,
): AsyncDisposable & { url: string; seen: Seen[] } {
	const seen: Seen[] = [];
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		async fetch(request) {
			const { pathname, search } = new URL(request.url);
			const received = {
				method: request.method,
				path: pathname,
				query: search.slice(1),
				headers: request.headers,
				body: await request.text(),
			};
			seen.push(received);
			return (await routes[pathname]?.(received)) ?? new Response("no such path", { status: 404 });
		},
	});
	return {
		url: server.url.href.replace(/\/$/, ""),
		seen,
		[Symbol.asyncDispose]: () => server.stop(true),
	};
}

export const inAnHour = new Date(Date.now() + 3_600_000).toISOString();

/** The answer of containers and machines; `agentCredentials` of the same name is its meaning. */
export function agentReply(name: string): Response {
	return Response.json({
		AccessKeyId: name,
		SecretAccessKey: `secret/of+${name}`,
		Token: `token-of-${name}==`,
		Expiration: inAnHour,
	});
}

export function agentCredentials(name: string): AwsCredentials {
	return {
		accessKeyId: name,
		secretAccessKey: `secret/of+${name}`,
		sessionToken: `token-of-${name}==`,
		expiresAt: Date.parse(inAnHour),
	};
}

export const exportCommand = "export-credentials --format process";

/** Shell code that prints credentials as `aws configure export-credentials` does. */
export function printCredentials(name: string, expires?: string): string {
	const end = expires === undefined ? "" : `,"SessionToken":"token","Expiration":"${expires}"`;
	return `echo '{"Version":1,"AccessKeyId":"${name}","SecretAccessKey":"secret-of-${name}"${end}}'`;
}

export async function find(env: Env): Promise<AwsCredentials> {
	return credentialsFor(env, await profileOf(env), new AbortController().signal);
}

/** The reason why there are no credentials. */
export async function refusal(env: Env): Promise<string> {
	const outcome = await find(env).catch(String);
	if (typeof outcome === "string") return outcome;
	throw new Error(`expected no credentials, but found ${outcome.accessKeyId}`);
}
