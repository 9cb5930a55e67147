/** The drivers, one per client. */
import type { Client } from "../client.ts";
import { acp } from "./acp.ts";
import { json, print } from "./batch.ts";
import { interactive } from "./interactive.ts";
import { piSdk } from "./pi-sdk.ts";
import { rpc } from "./rpc.ts";
import { late, second } from "./second.ts";
import { sdk } from "./sdk.ts";

export const clients: readonly Client[] = [print, json, interactive, rpc, acp, sdk, piSdk, second, late];
