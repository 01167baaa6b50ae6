/** NestJS on its Fastify adapter, asking a NestJS microservice over NATS. */
import "reflect-metadata";
import { Controller, Get, Inject, Module, Param } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { ClientsModule, Transport } from "@nestjs/microservices";
import { FastifyAdapter } from "@nestjs/platform-fastify";
import { announceReady } from "./ready.js";

const [servers, subject, traces] = process.argv.slice(2);
const noAsyncTraces = traces === "no-traces";

class ProductController {
  constructor(service) {
    this.service = service;
  }
  details(id) {
    return this.service.send(subject, { id });
  }
}
// JavaScript has no decorator syntax yet; these are the calls it stands for.
Controller("business/product")(ProductController);
Inject("PRODUCTS")(ProductController, undefined, 0);
Param("id")(ProductController.prototype, "details", 0);
Get("details/:id")(
  ProductController.prototype,
  "details",
  Object.getOwnPropertyDescriptor(ProductController.prototype, "details"),
);

function GatewayModule() {}
Module({
  imports: [
    ClientsModule.register([
      { name: "PRODUCTS", transport: Transport.NATS, options: { servers, noAsyncTraces } },
    ]),
  ],
  controllers: [ProductController],
})(GatewayModule);

const app = await NestFactory.create(GatewayModule, new FastifyAdapter({ logger: false }), {
  logger: false,
});
await app.listen(0, "127.0.0.1");
announceReady({ port: app.getHttpServer().address().port });
