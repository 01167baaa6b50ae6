import { inOwnNamespace, useSharedServers } from "@malipo/testing";
import { expect, it } from "vitest";
import { openPublicApp } from "./open-public-app.ts";

const servers = useSharedServers();
const proxy = "10.0.0.1";
const stranger = "41.90.1.2";

const oneYear = "max-age=31536000";
const forwarded = { "x-forwarded-for": stranger };
const https = { ...forwarded, "x-forwarded-proto": "https" };
const http = { ...forwarded, "x-forwarded-proto": "http" };

it.each([
  ["live", "by a trusted proxy over https", proxy, https, oneYear],
  ["live", "by a trusted proxy that does not say how", proxy, forwarded, oneYear],
  ["live", "by a trusted proxy over http", proxy, http, undefined],
  ["live", "directly, by a client that pretends to be a proxy", stranger, https, undefined],
  ["live", "directly, by a probe of the proxy's host", proxy, {}, undefined],
  ["sandbox", "by a trusted proxy over https", proxy, https, undefined],
])(
  "in %s mode the answers to requests sent %s have their HSTS",
  async (mode, _how, remoteAddress, headers, expected) => {
    const env = { MODE: mode, TRUSTED_PROXIES: proxy };
    const app = await openPublicApp(inOwnNamespace(servers), { env });
    for (const url of ["/docs", "/business/product/list", "/nowhere", "/callbacks/stk/forged"]) {
      const answer = await app.inject({ url, headers, remoteAddress });
      expect([url, answer.headers["strict-transport-security"]]).toEqual([url, expected]);
    }
  },
);
