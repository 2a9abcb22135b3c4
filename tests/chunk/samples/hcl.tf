# The network.
terraform {
  required_version = ">= 1.5"
}

variable "region" {
  type    = string
  default = "eu-central-1"
}

locals {
  name = "shop-${var.region}"
}

/* The machine that serves the shop. */
resource "aws_instance" "web" {
  ami           = data.aws_ami.linux.id
  instance_type = "t3.micro"

  ebs_block_device {
    device_name = "sda"
    volume_size = 20
  }

  tags = {
    Name = local.name
  }
}

output "address" {
  value = aws_instance.web.public_ip
}
