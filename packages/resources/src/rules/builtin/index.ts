/** Rules that come with Tau; they apply if `ttsr.builtinRules` is on, and a rule of the same name overrides one. */
import { parseRule } from "../parse.ts";
import type { Rule } from "@tau/session/run";
import noCastToAny from "./no-cast-to-any.md" with { type: "text" };
import noForcePush from "./no-force-push.md" with { type: "text" };
import noHookBypass from "./no-hook-bypass.md" with { type: "text" };
import noPlaceholderCode from "./no-placeholder-code.md" with { type: "text" };
import noSilentCatch from "./no-silent-catch.md" with { type: "text" };
import noSkippedTests from "./no-skipped-tests.md" with { type: "text" };
import noSuppressedChecks from "./no-suppressed-checks.md" with { type: "text" };

const texts = {
	"no-cast-to-any": noCastToAny,
	"no-force-push": noForcePush,
	"no-hook-bypass": noHookBypass,
	"no-placeholder-code": noPlaceholderCode,
	"no-silent-catch": noSilentCatch,
	"no-skipped-tests": noSkippedTests,
	"no-suppressed-checks": noSuppressedChecks,
};

export function builtinRules(): Rule[] {
	return Object.entries(texts).flatMap(([name, text]) => {
		const path = `builtin:${name}`;
		return parseRule({ name, path, level: "builtin", text, isAlwaysByDefault: false }).rule ?? [];
	});
}
