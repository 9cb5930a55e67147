/** The entry point `@tau/extensions/trust`. */
export {
	changesSinceTrust,
	decideForRun,
	forgetTrust,
	isTrusted,
	isUntrusted,
	recheckCode,
	rememberCode,
	setTrusted,
	trustAnswer,
	trustOf,
	keyAnswer,
	setKeyAnswer,
	watchCode,
	whyUntrusted,
	withheldNotice,
} from "./trust.ts";
export { refusal } from "./project-trust.ts";
export { askTrust, type TrustQuestion } from "./ask-trust.ts";
