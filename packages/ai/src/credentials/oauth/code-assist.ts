/** Sets an account up for Google's Code Assist and finds the project that its requests are billed to. */
import { clientMetadata } from "../../auth/code-assist/client.ts";
import { projectVariables } from "../../auth/code-assist/project.ts";
import { list, object, string, type Json } from "../../json.ts";
import { limits } from "../limits.ts";
import type { Clock } from "./device-code.ts";
import type { CodeAssist } from "./flow.ts";
import type { LoginInteraction } from "./interaction.ts";
import { OAuthError } from "./oauth-error.ts";
import { send, succeed } from "./request.ts";

/** This tier has its own project and rejects any other. */
const freeTier = "free-tier";
/** The tier for accounts that are offered no other. */
const oldTier: Json = { id: "legacy-tier", userDefinedCloudaicompanionProject: true };

interface Parts {
	service: CodeAssist;
	token: string;
	interaction: LoginInteraction;
	signal: AbortSignal;
	clock: Clock;
}

/** Returns the project. Throws an `OAuthError` that says what the account lacks. */
export function setUpCodeAssist(parts: Parts): Promise<string> {
	return new Setup(parts).run();
}

class Setup {
	readonly #parts: Parts;

	constructor(parts: Parts) {
		this.#parts = parts;
	}

	async run(): Promise<string> {
		const requested = this.#parts.service.project;
		const account = await this.#load(requested);
		if (account.currentTier) return projectIn(account) ?? requested ?? refuse(account);
		const toVerify = list(account.ineligibleTiers)
			.map(object)
			.find((tier) => tier.reasonCode === "VALIDATION_REQUIRED" && string(tier.validationUrl) !== "");
		if (toVerify) {
			throw new OAuthError(
				"refused",
				`Google wants you to verify the account first: ${string(toVerify.validationUrl)}`,
			);
		}
		const tier =
			list(account.allowedTiers)
				.map(object)
				.find(({ isDefault }) => isDefault === true) ?? oldTier;
		if (tier.userDefinedCloudaicompanionProject === true && requested === undefined) refuse(account);
		return (await this.#onboard(string(tier.id), requested)) ?? requested ?? refuse(account);
	}

	async #load(project: string | undefined): Promise<Json> {
		const answer = await this.#call("loadCodeAssist", aboutProject(project));
		// A company's rules hide the account from the server; then it is a paid one.
		const isGuarded = list(object(answer.body.error).details).some(
			(detail) => object(detail).reason === "SECURITY_POLICY_VIOLATED",
		);
		return isGuarded ? { currentTier: { id: "standard-tier" } } : succeed(this.#parts.service.url, answer);
	}

	/** Requests an account and waits until it exists. */
	async #onboard(tierId: string, requested: string | undefined): Promise<string | undefined> {
		this.#parts.interaction.notice(
			"Google is setting up the account for Code Assist. This takes up to a minute.",
		);
		const body = { tierId, ...aboutProject(tierId === freeTier ? undefined : requested) };
		const deadline = this.#parts.clock.now() + limits.onboardingMs;
		let operation = succeed(this.#parts.service.url, await this.#call("onboardUser", body));
		while (operation.done !== true) {
			if (this.#parts.clock.now() >= deadline) {
				throw new OAuthError("expired", "Google did not finish setting up the account. Try again later.");
			}
			await this.#parts.clock.wait(limits.onboardingPollMs, this.#parts.signal);
			operation = (await this.#look(string(operation.name), body)) ?? operation;
		}
		const failed = string(object(operation.error).message);
		if (failed !== "") throw new OAuthError("refused", `Google could not set up the account: ${failed}`);
		return projectIn(object(operation.response));
	}

	/** Undefined after a server error: the request is repeated until the deadline. */
	async #look(name: string, body: Json): Promise<Json | undefined> {
		const { url } = this.#parts.service;
		try {
			// If the operation has no name, repeating the request returns its status.
			const answer =
				name === ""
					? await this.#call("onboardUser", body)
					: await send(`${url}/${name}`, { method: "GET", headers: this.#headers() }, this.#parts.signal);
			return succeed(url, answer);
		} catch (error) {
			if (error instanceof OAuthError && error.problem === "network") return undefined;
			throw error;
		}
	}

	#call(method: string, body: Json): ReturnType<typeof send> {
		const headers = { "content-type": "application/json", ...this.#headers() };
		const init = { method: "POST", headers, body: JSON.stringify(body) };
		return send(`${this.#parts.service.url}:${method}`, init, this.#parts.signal);
	}

	#headers(): Record<string, string> {
		return {
			accept: "application/json",
			...this.#parts.service.headers,
			authorization: `Bearer ${this.#parts.token}`,
		};
	}
}

function aboutProject(project: string | undefined): Json {
	if (project === undefined) return { metadata: clientMetadata };
	return { cloudaicompanionProject: project, metadata: { ...clientMetadata, duetProject: project } };
}

/** One method returns its id, the other the whole object. */
function projectIn({ cloudaicompanionProject: project }: Json): string | undefined {
	return string(project) || string(object(project).id) || undefined;
}

/** Google's reasons, if there are any. */
function refuse(account: Json): never {
	const reasons = list(account.ineligibleTiers)
		.map((tier) => string(object(tier).reasonMessage))
		.filter((reason) => reason !== "");
	const way = `set ${projectVariables.join(" or ")} to the id of a Google Cloud project and log in again`;
	throw new OAuthError("refused", ["The account has no project for Code Assist", ...reasons, way].join("; "));
}
