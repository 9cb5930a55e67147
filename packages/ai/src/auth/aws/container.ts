/** Credentials of a task in a container, from the agent beside it. */
import { env as read, registerSecret, type Env } from "@tau/utils";
import { withReason, credentialsFromJson } from "./answer.ts";
import { ask } from "./ask.ts";
import { limits } from "./limits.ts";
import type { AwsCredentials } from "./sigv4.ts";
import { Unusable } from "./unusable.ts";

const agent = "http://169.254.170.2";
/** The agents of ECS and EKS. Elsewhere plain HTTP would expose the token to everyone on the way. */
const nearby: ReadonlySet<string> = new Set([
	"localhost",
	"[::1]",
	"169.254.170.2",
	"169.254.170.23",
	"[fd00:ec2::23]",
]);

export async function fromContainer(env: Env): Promise<AwsCredentials | undefined> {
	const relative = read("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", env);
	const full = relative === undefined ? read("AWS_CONTAINER_CREDENTIALS_FULL_URI", env) : agent + relative;
	if (full === undefined) return undefined;
	if (!URL.canParse(full) || !isSafe(new URL(full))) {
		throw new Unusable(
			`AWS_CONTAINER_CREDENTIALS_FULL_URI is neither https nor local to this machine: ${full}`,
		);
	}
	const token = await tokenOf(env);
	const reply = await ask(full, {
		headers: token === undefined ? {} : { authorization: token },
		direct: true,
	});
	if (reply.ok) return credentialsFromJson(reply.text, "The container agent");
	throw new Unusable(
		`The container agent returned no credentials (HTTP ${reply.status})${withReason(reply.text.trim())}`,
	);
}

function isSafe({ protocol, hostname }: URL): boolean {
	return protocol === "https:" || nearby.has(hostname) || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** The file is renewed while we run, so it is read each time and takes precedence over the variable. */
async function tokenOf(env: Env): Promise<string | undefined> {
	const file = read("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", env);
	const fileToken = file === undefined ? undefined : await readBounded(file);
	if (file !== undefined && fileToken === undefined)
		throw new Unusable(`The container token file ${file} does not exist`);
	const token = (fileToken ?? read("AWS_CONTAINER_AUTHORIZATION_TOKEN", env))?.trim();
	if (token !== undefined) registerSecret(token);
	return token;
}

/** Undefined if the file does not exist; throws for an unreadable file. */
async function readBounded(path: string): Promise<string | undefined> {
	try {
		const file = Bun.file(path);
		if (file.size > limits.fileBytes) throw new Unusable(`${path} is larger than ${limits.fileBytes} bytes`);
		return await file.text();
	} catch (error) {
		if (error instanceof Unusable) throw error;
		const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
		if (code === "ENOENT" || code === "ENOTDIR") return undefined;
		throw new Unusable(`Cannot read ${path}: ${code}`);
	}
}
