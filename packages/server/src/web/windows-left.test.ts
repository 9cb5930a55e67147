/** What is left of subscriptions, by the logins of the user: a vendor that does not answer is left out. */
import { afterAll, beforeAll, expect, test } from "bun:test";
