/** A NestJS microservice on NATS that answers every request with the same product. */
import "reflect-metadata";
import { Controller, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { MessagePattern, Transport } from "@nestjs/microservices";
import { announceReady } from "./ready.js";

const [servers, subject, reply] = process.argv.slice(2);
const product = JSON.parse(reply);

class ProductController {
  details() {
    return product;
  }
}
// JavaScript has no decorator syntax yet; these are the calls it stands for.
Controller()(ProductController);
MessagePattern(subject)(
  ProductController.prototype,
  "details",
  Object.getOwnPropertyDescriptor(ProductController.prototype, "details"),
);

function ServiceModule() {}
Module({ controllers: [ProductController] })(ServiceModule);

const service = await NestFactory.createMicroservice(ServiceModule, {
  transport: Transport.NATS,
  options: { servers, queue: "echo" },
  logger: false,
});
await service.listen();
announceReady();
