/** The service that asks whether a browser may connect to an address that is not public. */
import type { PrivateTarget } from "@tau/session/policy";
import type { ServiceKey } from "@tau/tools/tool";

export type RequestPrivate = (target: PrivateTarget, signal: AbortSignal) => Promise<boolean>;

/** A session without approvals allows none. */
export const privateTargets: ServiceKey<RequestPrivate> = {
	name: "private targets",
	create: () => async () => false,
};
