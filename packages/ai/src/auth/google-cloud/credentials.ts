/** Finds the Application Default Credentials of Google Cloud: a file of a variable or of gcloud, or none. */
import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { env as read, expandHome, registerSecret, shortenHome, type Env } from "@tau/utils";
import { failure } from "../../failure.ts";
import { parseObject, string, type Json } from "../../json.ts";
import type { Failure } from "../../types.ts";
import { limits } from "./limits.ts";

interface Common {
	/** Where they come from, for the user. */
	source: string;
	/** Identifies these credentials. */
	identity: string;
	project?: string;
	/** The project that is billed for a user's requests. */
	quotaProject?: string;
}

export interface ServiceAccount extends Common {
	type: "service_account";
	email: string;
	privateKey: string;
	keyId: string;
	tokenUri: string;
}

export interface AuthorizedUser extends Common {
	type: "authorized_user";
	clientId: string;
	clientSecret: string;
	refreshToken: string;
	tokenUri: string;
}

export type Credentials = ServiceAccount | AuthorizedUser;

const variable = "GOOGLE_APPLICATION_CREDENTIALS";
const login = "run `gcloud auth application-default login`";
const tokenServer = "https://oauth2.googleapis.com/token";

/** `undefined` if there is no file; an unusable file is a failure. */
export async function findCredentials(env: Env): Promise<Credentials | Failure | undefined> {
	const home = env.HOME || homedir();
	const named = read(variable, env);
	const path = named === undefined ? wellKnown(env, home) : expandHome(named, home);
	const displayPath = shortenHome(path, home);
	const source = named === undefined ? displayPath : `${displayPath} (${variable})`;
	const text = await readFile(path);
	if (typeof text === "string") return parseCredentials(text, source);
	if (text === undefined && named === undefined) return undefined;
	const why = text?.message ?? "file not found";
	return failure("auth", `Cannot read the Google Cloud credentials in ${source}: ${why}`);
}

/** The directory of gcloud. */
function wellKnown(env: Env, home: string): string {
	const own = read("CLOUDSDK_CONFIG", env);
	const appData = process.platform === "win32" ? read("APPDATA", env) : undefined;
	const folder = own ?? (appData === undefined ? join(home, ".config", "gcloud") : join(appData, "gcloud"));
	return join(folder, "application_default_credentials.json");
}

async function readFile(path: string): Promise<string | Error | undefined> {
	try {
		const info = await stat(path);
		if (!info.isFile()) return new Error("it is not a file");
		if (info.size > limits.credentialsBytes) return new Error("it is too large for a credentials file");
		return await Bun.file(path).text();
	} catch (error) {
		if (!(error instanceof Error)) return new Error(String(error));
		return "code" in error && error.code === "ENOENT" ? undefined : error;
	}
}

function parseCredentials(text: string, source: string): Credentials | Failure {
	const file = parseObject(text);
	if (!file)
		return failure("auth", `The Google Cloud credentials in ${source} are not valid JSON: ${login} again`);
	const common = { source, identity: text, ...projectsOf(file) };
	const tokenUri = string(file.token_uri) || tokenServer;
	if (!isSafe(tokenUri)) {
		return failure("auth", `The token_uri in ${source} must be an https:// URL: ${tokenUri}`);
	}
	switch (file.type) {
		case "service_account": {
			const missing = secretsOf(file, ["client_email", "private_key"], source);
			if (missing) return missing;
			const email = string(file.client_email);
			const keyId = string(file.private_key_id);
			return { type: file.type, ...common, email, privateKey: string(file.private_key), keyId, tokenUri };
		}
		case "authorized_user": {
			const missing = secretsOf(file, ["client_id", "client_secret", "refresh_token"], source);
			if (missing) return missing;
			const clientId = string(file.client_id);
			const clientSecret = string(file.client_secret);
			return {
				type: file.type,
				...common,
				clientId,
				clientSecret,
				refreshToken: string(file.refresh_token),
				tokenUri,
			};
		}
		default:
			return failure(
				"auth",
				`The Google Cloud credentials in ${source} are of type "${string(file.type)}", which Tau does not support: ` +
					`set ${variable} to the key file of a service account, or ${login}`,
			);
	}
}

function projectsOf(file: Json): { project?: string; quotaProject?: string } {
	const quotaProject = string(file.quota_project_id);
	const project = string(file.project_id) || quotaProject;
	return { ...(project ? { project } : {}), ...(quotaProject ? { quotaProject } : {}) };
}

const secretFields = new Set(["private_key", "client_secret", "refresh_token"]);

/** Masks the secrets in messages and logs, and names the first that is missing. */
function secretsOf(file: Json, fields: readonly string[], source: string): Failure | undefined {
	for (const field of fields) {
		const value = string(file[field]);
		if (value === "") {
			return failure("auth", `The Google Cloud credentials in ${source} have no ${field}: ${login} again`);
		}
		if (secretFields.has(field)) registerSecret(value);
	}
	return undefined;
}

/** The data sent to this server is as good as a key, so it must be encrypted. */
function isSafe(address: string): boolean {
	if (!URL.canParse(address)) return false;
	const { protocol, hostname } = new URL(address);
	return (
		protocol === "https:" || (protocol === "http:" && ["127.0.0.1", "[::1]", "localhost"].includes(hostname))
	);
}
